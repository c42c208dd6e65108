#include "cli/diagnose_placement.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

/// Numbers of GPUs and nodes of one run; 0 nodes: not known.
struct RunScale {
  int gpus = 0;
  int nodes = 0;
};

RunScale scale_of_run(const Record& record) {
  if (const auto* collective = std::get_if<CollectiveRecord>(&record)) return {collective->ranks, collective->nodes};
  if (const auto* step = std::get_if<StepRecord>(&record)) return {step->gpus, step->nodes};
  return {};
}

} // namespace

bool fills_nodes(int gpus, int nodes, int gpus_per_node) {
  return nodes < 1 || (gpus + gpus_per_node - 1) / gpus_per_node == nodes;
}

int gpus_taken_of_node(const std::vector<MeasurementFile>& files, const Scenario& scenario, const Cluster& cluster) {
  const int all = std::max(1, scenario.gpus_per_node > 0 ? scenario.gpus_per_node : cluster.gpus_per_node);
  int most = 1;
  bool fill = true;
  for (const auto& file : files)
    for (const auto& record : file.records) {
      const auto [gpus, nodes] = scale_of_run(record);
      if (nodes < 1) continue;
      fill = fill && fills_nodes(gpus, nodes, all);
      most = std::max(most, (gpus + nodes - 1) / nodes);
    }
  return fill || most > all ? all : most;
}

Cluster with_ports_of(Cluster cluster, int gpus_taken) {
  const int all = std::max(1, cluster.gpus_per_node);
  for (auto& nic : cluster.nics) nic.count = std::max(1, nic.count * std::min(gpus_taken, all) / all);
  return cluster;
}

} // namespace ddlsim
