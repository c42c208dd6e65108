#include "sim/base/error.hpp"
#include "validate/methods/simulator.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

void refuse_processor(const Question& question, const Cluster& cluster) {
  const auto& known = question.known;
  if (known.device == "cpu" && !cluster.gpu.empty())
    throw UserError(known.id, "", "measured on a processor of a cluster of GPUs");
}

/// The scenario's GPUs per node; 0 if the ranks use all GPUs of a node.
int gpus_per_node_of(const Question& question, const Cluster& cluster) {
  const int a_node = question.nodes > 1 ? question.gpus_per_node : cluster.gpus_per_node;
  const int nodes = a_node > 0 ? (question.gpus + a_node - 1) / a_node : 0;
  if (nodes != question.nodes)
    throw UserError(
        question.known.id, "",
        fmt::format("{} GPUs on {} nodes: ranks do not fill nodes of {}", question.gpus, question.nodes, a_node));
  return a_node == cluster.gpus_per_node ? 0 : a_node;
}

} // namespace

Scenario scenario_of(const Question& question, const Cluster& cluster) {
  refuse_processor(question, cluster);
  const auto& known = question.known;
  Scenario scenario;
  scenario.name = "question";
  scenario.model = known.model;
  scenario.batch_per_gpu = known.batch_per_gpu;
  scenario.train = known.train;
  scenario.document_tokens = known.document_tokens;
  scenario.precision = known.precision;
  if (known.wire_precision != WirePrecision::unknown) scenario.wire_precision = known.wire_precision;
  scenario.cluster = known.cluster;
  if (known.gpu != cluster.gpu) scenario.gpu = known.gpu;
  scenario.gpus = {question.gpus};
  scenario.gpus_per_node = gpus_per_node_of(question, cluster);
  scenario.strategies = {question.strategy};
  auto& strategy = scenario.strategies.front();
  if (strategy.name == StrategyName::all_reduce) strategy.name = StrategyName::automatic;
  scenario.preset = known.preset;
  if (transport_named(cluster, known.transport) != nullptr) scenario.transport = known.transport;
  // a scenario can name only a visible series
  if (!known.points.empty() || known.one_gpu_s) scenario.series = known.name;
  return scenario;
}

} // namespace ddlsim
