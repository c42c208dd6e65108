#include "cli/commands.hpp"
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

std::string peak_text(const Gpu& gpu, const std::string& precision) {
  const auto peak = gpu.peak_flop_per_s.find(precision);
  return peak == gpu.peak_flop_per_s.end() ? "" : print_quantity(peak->second, Dimension::compute_rate);
}

std::string gpus_table(const DataFolder& data) {
  Rows rows;
  for (const auto& gpu : load_gpus(data)) {
    rows.push_back({gpu.name, fmt::format("{}", gpu.year), peak_text(gpu, "fp32"), peak_text(gpu, "fp16-tensor"),
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

} // namespace

int run_list(const ListCommand& command, const CommandLine& line) {
  const DataFolder data{line.data_folder};
  if (command.what == "models") emit(line, models_table(data));
  if (command.what == "gpus") emit(line, gpus_table(data));
  if (command.what == "clusters") emit(line, clusters_table(data));
  if (command.what == "presets") emit(line, presets_table(data));
  return 0;
}

} // namespace ddlsim
