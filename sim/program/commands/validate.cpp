#include "sim/files/data_folder.hpp"
#include "sim/files/measurement.hpp"
#include "sim/program/commands.hpp"
#include "validate/methods/rivals.hpp"
#include "validate/methods/simulator.hpp"
#include "validate/report.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

std::vector<MeasurementFile> read_all(const DataFolder& data, const std::vector<std::filesystem::path>& own) {
  std::vector<MeasurementFile> files;
  for (const auto& cluster : list_clusters(data))
    for (auto& file : read_cluster_measurements(data.platforms(), cluster)) files.push_back(std::move(file));
  for (const auto& file : own) files.push_back(read_measurements(file));
  return files;
}

/// What the shipped files know beside records: bytes of models, line rates of clusters.
TextbookFacts textbook_facts(const DataFolder& data) {
  TextbookFacts facts;
  for (const auto& name : list_models(data)) facts.model_bytes[name] = load_model(data, name).size_bytes();
  for (const auto& name : list_clusters(data)) {
    const auto cluster = load_cluster(data, name);
    for (const auto& transport : cluster.transports) {
      if (transport.nic.empty()) continue;
      const auto& nic = find_nic(cluster, transport.nic);
      facts.node_rate_Bps[{name, transport.name}] = nic.bandwidth_Bps * nic.count;
    }
  }
  return facts;
}

} // namespace

int run_validate(const ValidateCommand& command, const CommandLine& line) {
  const DataFolder data{line.data_folder};
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(make_simulator(data));
  methods.push_back(make_uncalibrated(data));
  for (auto& rival : make_rivals(textbook_facts(data))) methods.push_back(std::move(rival));
  ValidationOptions options;
  options.splits = command.splits;
  const auto result = validate_measurements(read_all(data, command.measurements), methods, options);
  emit(line, line.json ? validation_json(result) : validation_text(result));
  return 0;
}

} // namespace ddlsim
