// "input" of a scenario, and of a plan's workload.

#include "sim/formats/cluster.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/scenario.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

/// Rules between the fields: what means nothing without another.
void check_input(const JsonNode& node) {
  const bool has_size = node.has("bytes_per_sample") || node.has("dataset");
  for (const char* key : {"shared_read_bandwidth", "read_bandwidth", "storage"}) {
    if (!node.has(key) || has_size) continue;
    node.mistake_at("bytes_per_sample",
                    "missing; give the size of a stored sample, like \"110 KB\", or the name of a \"dataset\"");
    break;
  }
  if (node.has("cores_per_node") && !node.has("loader"))
    node.mistake_at("loader", "missing; name what the cores decode with, like \"pytorch-dataloader\"");
  const bool reads = node.has("storage") || node.has("read_bandwidth") || node.has("shared_read_bandwidth");
  if (node.has("readers_per_node") && !reads)
    node.mistake_at("storage", "missing; name what the readers read, like \"nfs\", or give its \"read_bandwidth\"");
}

} // namespace

void read_input(const JsonNode& node, InputPipeline& input, InputNames& names) {
  static constexpr std::string_view known[]{"bytes_per_sample",
                                            "loader_samples_per_s",
                                            "shared_read_bandwidth",
                                            "read_bandwidth",
                                            "dataset",
                                            "storage",
                                            "format",
                                            "loader",
                                            "cores_per_node",
                                            "readers_per_node"};
  if (!node.is_object()) return;
  node.allow_only(known);
  input.bytes_per_sample = node.quantity_or("bytes_per_sample", Dimension::size, 0);
  if (node.has("loader_samples_per_s")) input.loader_samples_per_s = node.positive("loader_samples_per_s");
  input.shared_read_Bps = node.quantity_or("shared_read_bandwidth", Dimension::bandwidth, 0);
  input.read_Bps = node.quantity_or("read_bandwidth", Dimension::bandwidth, 0);
  if (node.has("dataset")) names.dataset = node.text("dataset");
  if (node.has("storage")) names.storage = node.text("storage");
  if (node.has("format")) names.format = node.text("format");
  if (node.has("loader")) names.loader = node.text("loader");
  names.cores_per_node = static_cast<int>(node.integer_or("cores_per_node", 0, 1, most_cores_of_node));
  names.readers_per_node = static_cast<int>(node.integer_or("readers_per_node", 0, 1, most_cores_of_node));
  check_input(node);
}

void add_input(nlohmann::ordered_json& json, const Scenario& scenario) {
  auto written = nlohmann::ordered_json::object();
  const auto& input = scenario.input;
  const auto& names = scenario.input_names;
  for (const auto& [key, name] : {std::pair{"dataset", names.dataset}, std::pair{"storage", names.storage},
                                  std::pair{"format", names.format}, std::pair{"loader", names.loader}})
    if (!name.empty()) written[key] = name;
  if (names.cores_per_node > 0) written["cores_per_node"] = names.cores_per_node;
  if (names.readers_per_node > 0) written["readers_per_node"] = names.readers_per_node;
  if (input.bytes_per_sample > 0) written["bytes_per_sample"] = fmt::format("{} B", input.bytes_per_sample);
  if (input.loader_samples_per_s > 0) written["loader_samples_per_s"] = input.loader_samples_per_s;
  if (input.shared_read_Bps > 0) written["shared_read_bandwidth"] = fmt::format("{} B/s", input.shared_read_Bps);
  if (input.read_Bps > 0) written["read_bandwidth"] = fmt::format("{} B/s", input.read_Bps);
  if (!written.empty()) json["input"] = written;
}

} // namespace ddlsim
