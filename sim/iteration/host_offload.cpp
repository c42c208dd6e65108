#include "sim/iteration/host_offload.hpp"

#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ddlsim {
namespace {

/// The names of the values that offload needs and the cluster's file does not state.
std::vector<std::string> missing_of_host(const Cluster& cluster) {
  std::vector<std::string> missing;
  if (!(cluster.host_memory_bandwidth_Bps > 0)) missing.emplace_back("/node/host_memory_bandwidth");
  if (!(cluster.host_link.bandwidth_Bps > 0)) missing.emplace_back("/node/host_link");
  return missing;
}

} // namespace

HostSeconds host_seconds(const Cluster& cluster, int gpus_of_node) {
  const double memory_Bps = cluster.host_memory_bandwidth_Bps / gpus_of_node;
  const double link_Bps = cluster.host_link.bandwidth_Bps / std::min(cluster.host_link.gpus, gpus_of_node);
  return {host_copy_bytes / std::min(link_Bps, memory_Bps), host_sum_bytes / memory_Bps,
          host_update_bytes / memory_Bps};
}

bool is_offloaded(const Strategy& strategy) {
  return is_sharded(strategy.name) && strategy.sharded.offload != Offload::none;
}

double least_host_memory(const Model& model, const Strategy& strategy, int gpus, int gpus_per_node) {
  if (!is_offloaded(strategy)) return 0;
  const int sharers = ranks_of_shard_group(strategy.sharded, gpus, gpus_per_node);
  return host_state_bytes * model.parameters * std::min(gpus, gpus_per_node) / sharers;
}

std::string offload_complaint(const Model& model, const Cluster& cluster, const Strategy& strategy, int gpus,
                              int gpus_per_node) {
  if (!is_offloaded(strategy)) return "";
  const auto missing = missing_of_host(cluster);
  if (!missing.empty())
    return fmt::format("what offload takes needs {} of {}, which its file does not state; give it there, with its "
                       "source, or leave \"offload\" out",
                       join_names(missing, " and "), cluster.name);
  const double needed_bytes = least_host_memory(model, strategy, gpus, gpus_per_node);
  if (!(cluster.host_memory_bytes > 0) || needed_bytes <= cluster.host_memory_bytes) return "";
  return fmt::format("{} by {} on {} GPUs needs at least {} of a node's host memory, and {} has {}; give more GPUs, or "
                     "another cluster",
                     model.name, to_text(strategy), gpus, print_quantity(needed_bytes, Dimension::size), cluster.name,
                     print_quantity(cluster.host_memory_bytes, Dimension::size));
}

HostStreams::HostStreams(Graph& graph, std::size_t role, const HostSeconds& seconds)
    : graph_(graph), seconds_(seconds), to_host_(add_stream(graph, StreamKind::host, role, 0)),
      processors_(add_stream(graph, StreamKind::host, role, 1)),
      from_host_(add_stream(graph, StreamKind::host, role, 2)) {}

std::size_t HostStreams::add(OperationKind kind, std::size_t stream, double parameters, double seconds) {
  return add_operation(graph_, {kind, stream, parameters * seconds, parameters * host_copy_bytes});
}

void HostStreams::copy_gradients(double parameters, std::size_t after, bool sum) {
  last_copy_ = add(OperationKind::to_host, to_host_, parameters, seconds_.copy);
  wait_for(graph_, after);
  if (!sum) return;
  add(OperationKind::host_sum, processors_, parameters, seconds_.sum);
  wait_for(graph_, last_copy_);
}

std::size_t HostStreams::update(double parameters) {
  const std::size_t updated = add(OperationKind::host_update, processors_, parameters, seconds_.update);
  wait_for(graph_, last_copy_);
  return updated;
}

std::size_t HostStreams::copy_parameters(double parameters) {
  return add(OperationKind::from_host, from_host_, parameters, seconds_.copy);
}

Graph without_host(Graph graph) {
  for (auto& operation : graph.operations)
    if (graph.streams[operation.stream].kind == StreamKind::host) operation.duration_s = 0;
  return graph;
}

} // namespace ddlsim
