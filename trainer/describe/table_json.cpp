#include "trainer/describe/table_json.hpp"

#include "trainer/describe/libtorch_version.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ddltrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kBytesPerElement = 4; ///< fp32

Json to_json(const LayerRow& row) {
  Json tensors = Json::array();
  for (const TensorRow& tensor : row.tensors) {
    tensors.push_back(
        {{"name", tensor.name}, {"shape", tensor.shape}, {"bytes", kBytesPerElement * element_count(tensor)}});
  }
  return {{"name", row.name},
          {"kind", row.kind},
          {"forward_flop_per_sample", row.forward_flop_per_sample},
          {"activation_bytes_per_sample", row.activation_bytes_per_sample},
          {"tensors", tensors}};
}

std::string quoted(const std::string& text) {
  return Json(text).dump();
}

} // namespace

std::string table_json(const CatalogueEntry& model, const LayerTable& table) {
  std::string text = "{\"format\":\"ddlsim-model\",\"version\":1,\n";
  text += fmt::format("\"name\":{},\n\"title\":{},\n", quoted(model.name), quoted(model.title));
  text += fmt::format("\"source\":{},\n",
                      quoted(fmt::format("ddltrain describe {}, LibTorch {}", model.name, libtorch_version())));
  text +=
      fmt::format("\"sample\":{},\n\"parameters\":{},\n\"layers\":[\n", quoted(model.sample), parameter_count(table));
  for (std::size_t i = 0; i < table.size(); ++i) {
    text += to_json(table[i]).dump();
    text += i + 1 < table.size() ? ",\n" : "\n";
  }
  return text + "]}\n";
}

} // namespace ddltrain
