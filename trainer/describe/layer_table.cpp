#include "trainer/describe/layer_table.hpp"

#include "sim/formats/model.hpp"
#include "trainer/models/image_network.hpp"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

namespace ddltrain {
namespace {

constexpr std::int64_t bytes_per_element = 4; ///< bytes of fp32

std::int64_t per_sample(std::int64_t total, std::int64_t batch, const std::string& layer) {
  if (total % batch != 0) {
    throw std::logic_error("layer " + layer + ": work is not a multiple of the batch");
  }
  return total / batch;
}

LayerRow row_of(const std::string& name, const Layer& layer, const Tensors& inputs, const at::Tensor& output,
                std::int64_t batch) {
  LayerRow row;
  row.name = name;
  row.kind = name_of(layer.kind());
  row.forward_flop_per_sample = per_sample(layer.flop(inputs, output), batch, name);
  row.activation_bytes_per_sample = per_sample(output.numel() * bytes_per_element, batch, name);
  for (const auto& item : layer.named_parameters(/*recurse=*/false)) {
    row.tensors.push_back({name + "." + item.key(), item.value().sizes().vec()});
  }
  return row;
}

void check_complete(const LayerTable& table, const Network& network) {
  std::set<std::string> described;
  for (const LayerRow& row : table) {
    for (const TensorRow& tensor : row.tensors) {
      described.insert(tensor.name);
    }
  }
  for (const auto& item : network.named_parameters()) {
    if (!described.contains(item.key())) {
      throw std::logic_error("no layer was called with " + item.key());
    }
  }
}

} // namespace

LayerTable describe(Network& network, std::int64_t batch) {
  const at::NoGradGuard no_gradient;
  LayerTable table;
  std::set<std::string> called;
  const auto layers = layers_of(network);
  for (const auto& [name, layer] : layers) {
    layer->observe(
        [&table, &called, batch, path = name](const Layer& seen, const Tensors& inputs, const at::Tensor& output) {
          if (!called.insert(path).second) {
            throw std::logic_error("layer " + path + " was called twice");
          }
          table.push_back(row_of(path, seen, inputs, output, batch));
        });
  }
  network.train();
  network.losses(network.random_batch(batch));
  for (const auto& [name, layer] : layers) {
    layer->observe({});
  }
  check_complete(table, network);
  return table;
}

std::int64_t element_count(const TensorRow& tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t parameter_count(const LayerTable& table) {
  std::int64_t count = 0;
  for (const LayerRow& row : table) {
    for (const TensorRow& tensor : row.tensors) {
      count += element_count(tensor);
    }
  }
  return count;
}

std::int64_t forward_flop_per_sample(const LayerTable& table) {
  std::int64_t flop = 0;
  for (const LayerRow& row : table) {
    flop += row.forward_flop_per_sample;
  }
  return flop;
}

namespace {

ddlsim::Layer to_layer(const LayerRow& row) {
  ddlsim::Layer layer;
  layer.name = row.name;
  layer.kind = row.kind;
  layer.forward_flop_per_sample = static_cast<double>(row.forward_flop_per_sample);
  layer.activation_bytes_per_sample = static_cast<double>(row.activation_bytes_per_sample);
  for (const TensorRow& tensor : row.tensors) {
    const auto size_bytes = static_cast<double>(bytes_per_element * element_count(tensor));
    layer.tensors.push_back({tensor.name, {tensor.shape.begin(), tensor.shape.end()}, size_bytes});
  }
  return layer;
}

} // namespace

std::string table_json(const TableHead& head, const LayerTable& table) {
  ddlsim::Model model;
  model.name = head.name;
  model.title = head.title;
  model.source = head.source;
  model.sample = head.sample;
  model.parameters = static_cast<double>(parameter_count(table));
  for (const LayerRow& row : table) {
    model.layers.push_back(to_layer(row));
  }
  return ddlsim::model_json(model);
}

std::string table_json(const CatalogueEntry& model, const LayerTable& table) {
  const auto source = fmt::format("ddltrain describe {}, LibTorch {}", model.name, libtorch_version());
  return table_json({model.name, model.title, source, model.sample}, table);
}

std::string libtorch_version() {
  const std::string version = TORCH_VERSION;
  return version.substr(0, version.find('+'));
}

} // namespace ddltrain
