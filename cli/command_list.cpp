#include "cli/command.hpp"
#include "sim/base/error.hpp"
#include "sim/base/table.hpp"
#include "sim/base/units.hpp"
#include "sim/formats/data_folder.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string models_table(const DataFolder& data) {
  Rows rows;
  for (const auto& name : list_models(data)) {
    const auto model = load_model(data, name);
    rows.push_back({name, fmt::format("{:.0f}", model.parameters), print_quantity(model.size_bytes(), Dimension::size),
                    print_quantity(model.forward_flop_per_sample(), Dimension::work), model.sample, model.title});
  }
  return to_table(
      {{"model", Align::left}, {"parameters"}, {"fp32"}, {"forward"}, {"sample", Align::left}, {"title", Align::left}},
      rows);
}

std::string peak_text(const Gpu& gpu, ArithmeticUnit unit) {
  const auto peak = gpu.peak_flop_per_s.find(unit);
  return peak == gpu.peak_flop_per_s.end() ? "" : print_quantity(peak->second, Dimension::compute_rate);
}

std::string gpus_table(const DataFolder& data) {
  Rows rows;
  for (const auto& gpu : load_gpus(data)) {
    rows.push_back({gpu.name, fmt::format("{}", gpu.year), peak_text(gpu, ArithmeticUnit::fp32),
                    peak_text(gpu, ArithmeticUnit::fp16_tensor),
                    print_quantity(gpu.memory_bandwidth_Bps, Dimension::bandwidth),
                    print_quantity(gpu.memory_bytes, Dimension::size)});
  }
  return to_table({{"gpu", Align::left}, {"year"}, {"fp32"}, {"fp16 tensor"}, {"memory rate"}, {"memory"}}, rows);
}

std::string clusters_table(const DataFolder& data) {
  Rows rows;
  for (const auto& name : list_clusters(data)) {
    const auto cluster = load_cluster(data, name);
    std::string transports;
    for (const auto& transport : cluster.transports) transports += (transports.empty() ? "" : " ") + transport.name;
    rows.push_back(
        {name, fmt::format("{} x {}", cluster.available_nodes, devices_text(cluster)), transports, cluster.title});
  }
  return to_table(
      {{"cluster", Align::left}, {"nodes x GPUs", Align::left}, {"transports", Align::left}, {"title", Align::left}},
      rows);
}

std::string presets_table(const DataFolder& data) {
  Rows rows;
  for (const auto& preset : load_presets(data)) {
    rows.push_back({preset.name, to_text(preset.grouping), preset.overlapped ? "overlapped" : "after backward",
                    to_text(preset.library), preset.title});
  }
  return to_table({{"preset", Align::left},
                   {"grouping", Align::left},
                   {"when", Align::left},
                   {"library", Align::left},
                   {"title", Align::left}},
                  rows);
}

/// Returns a value with its range, as in "2.9 GB/s (1.3 GB/s .. 82 GB/s)"; "" if it is not stated.
std::string rough_text(const RoughValue& value, Dimension dimension) {
  if (value.median == 0) return "";
  return fmt::format("{} ({} .. {})", print_quantity(value.median, dimension), print_quantity(value.low, dimension),
                     print_quantity(value.high, dimension));
}

std::string rough_text(const RoughValue& value) {
  return value.median == 0 ? "" : fmt::format("{:g} ({:g} .. {:g})", value.median, value.low, value.high);
}

std::string storages_table(const InputCatalogue& inputs) {
  Rows rows;
  for (const auto& storage : inputs.storages)
    rows.push_back({storage.name, rough_text(storage.read_Bps, Dimension::bandwidth),
                    rough_text(storage.shared_read_Bps, Dimension::bandwidth),
                    rough_text(storage.open_s, Dimension::time)});
  return to_table({{"storage", Align::left},
                   {"a node reads (90 %)", Align::left},
                   {"all nodes read (90 %)", Align::left},
                   {"a file opens in (90 %)", Align::left}},
                  rows);
}

std::string formats_table(const InputCatalogue& inputs) {
  Rows rows;
  for (const auto& format : inputs.formats)
    rows.push_back({format.name, format.one_file_a_sample ? "a file a sample" : "in sequence",
                    format.core_share.median == 0 ? "1" : rough_text(format.core_share), format.title});
  return to_table({{"format", Align::left},
                   {"reads", Align::left},
                   {"share of a core's rate left", Align::left},
                   {"title", Align::left}},
                  rows);
}

std::string loaders_table(const InputCatalogue& inputs) {
  Rows rows;
  for (const auto& loader : inputs.loaders)
    rows.push_back(
        {loader.name, rough_text(loader.core_samples_per_s), rough_text(loader.gpu_samples_per_s), loader.title});
  return to_table({{"loader", Align::left},
                   {"samples/s of a core (90 %)", Align::left},
                   {"of a GPU (90 %)", Align::left},
                   {"title", Align::left}},
                  rows);
}

std::string datasets_table(const InputCatalogue& inputs) {
  Rows rows;
  for (const auto& dataset : inputs.datasets)
    rows.push_back({dataset.name, print_quantity(dataset.bytes_per_sample, Dimension::size),
                    fmt::format("{:g}", dataset.decode_work), dataset.title});
  return to_table({{"data set", Align::left}, {"sample"}, {"decoding, in ImageNet JPEGs"}, {"title", Align::left}},
                  rows);
}

std::string inputs_tables(const DataFolder& data) {
  const auto inputs = load_inputs(data);
  return storages_table(inputs) + "\n" + formats_table(inputs) + "\n" + loaders_table(inputs) + "\n" +
         datasets_table(inputs);
}

std::string convergence_table(const DataFolder& data) {
  Rows rows;
  for (const auto& name : list_convergence(data)) {
    const auto runs = load_convergence(data, name);
    rows.push_back({name, join_names(runs.models),
                    fmt::format("{:g} .. {:g}", runs.points.front().global_batch, runs.points.back().global_batch),
                    fmt::format("{:.3g} .. {:.3g}", runs.points.front().epochs, runs.points.back().epochs),
                    runs.target});
  }
  return to_table({{"convergence", Align::left},
                   {"models", Align::left},
                   {"samples an iteration", Align::left},
                   {"epochs", Align::left},
                   {"target", Align::left}},
                  rows);
}

} // namespace

int run_list(const ListCommand& command, const CommandLine& line) {
  const DataFolder data{line.data_folder};
  if (command.what == "models") emit(line, models_table(data));
  if (command.what == "gpus") emit(line, gpus_table(data));
  if (command.what == "clusters") emit(line, clusters_table(data));
  if (command.what == "presets") emit(line, presets_table(data));
  if (command.what == "convergence") emit(line, convergence_table(data));
  if (command.what == "inputs") emit(line, inputs_tables(data));
  return 0;
}

} // namespace ddlsim
