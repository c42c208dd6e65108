#include "sim/base/json.hpp"
#include "sim/formats/model.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

/// Counts are whole and below 2^53 in every table that read_model() takes.
std::int64_t whole(double count) {
  return static_cast<std::int64_t>(count);
}

Json to_json(const Layer& layer) {
  Json tensors = Json::array();
  for (const auto& tensor : layer.tensors)
    tensors.push_back({{"name", tensor.name}, {"shape", tensor.shape}, {"bytes", whole(tensor.size_bytes)}});
  return {{"name", layer.name},
          {"kind", layer.kind},
          {"forward_flop_per_sample", whole(layer.forward_flop_per_sample)},
          {"activation_bytes_per_sample", whole(layer.activation_bytes_per_sample)},
          {"tensors", tensors}};
}

} // namespace

std::string model_json(const Model& model) {
  const auto quoted = [](const std::string& text) { return json_text(Json(text)); };
  std::string text = fmt::format("{{\"format\":\"ddlsim-model\",\"version\":1,\n\"name\":{},\n\"title\":{},\n"
                                 "\"source\":{},\n\"sample\":{},\n\"parameters\":{},\n\"layers\":[\n",
                                 quoted(model.name), quoted(model.title), quoted(model.source), quoted(model.sample),
                                 whole(model.parameters));
  for (std::size_t i = 0; i < model.layers.size(); ++i)
    text += json_text(to_json(model.layers[i])) + (i + 1 < model.layers.size() ? ",\n" : "\n");
  return text + "]}\n";
}

} // namespace ddlsim
