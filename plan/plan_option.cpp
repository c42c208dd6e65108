#include "plan/plan_option.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/batch_at_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string_view>

namespace ddlsim {
namespace {

/// Numbers of GPUs to evaluate: one, doubled up to a node; then nodes, doubled; and the largest available number.
std::vector<int> doubling_scales(int gpus_per_node, int most_nodes) {
  std::vector<int> scales;
  for (int gpus = 1; gpus < gpus_per_node; gpus *= 2) scales.push_back(gpus);
  for (long nodes = 1; nodes < most_nodes; nodes *= 2) scales.push_back(static_cast<int>(nodes) * gpus_per_node);
  scales.push_back(most_nodes * gpus_per_node);
  return scales;
}

std::vector<int> scales_of(const PlanRequest& request, const PlanCandidate& candidate, const Cluster& cluster) {
  if (!candidate.gpus.empty()) return candidate.gpus;
  const int growth = std::max(1, cluster.growth_max_nodes);
  const int most_nodes = request.limits.nodes > 0 ? std::min(request.limits.nodes, growth) : growth;
  return doubling_scales(std::max(1, cluster.gpus_per_node), most_nodes);
}

/// The candidate's cluster with the NICs that the request gives it.
Cluster cluster_of(const PlanCandidate& candidate, const DataFolder& data) {
  auto cluster = load_cluster(data, candidate.cluster);
  if (candidate.network_Bps <= 0) return cluster;
  if (cluster.nics.empty())
    throw UserError("", "/candidates",
                    fmt::format("{} has a \"network\", and {} has no NIC; drop it", candidate.name, cluster.name));
  for (auto& nic : cluster.nics) nic.bandwidth_Bps = candidate.network_Bps;
  return cluster;
}

Scenario scenario_of(const PlanRequest& request, const PlanCandidate& candidate) {
  Scenario scenario;
  scenario.name = candidate.name;
  scenario.model = request.workload.model;
  scenario.batch_per_gpu = candidate.batch_per_gpu > 0 ? candidate.batch_per_gpu : request.workload.global_batch;
  scenario.precision = request.workload.precision;
  scenario.wire_precision = request.workload.wire_precision;
  scenario.micro_batch = request.workload.micro_batch;
  scenario.train = request.workload.train;
  scenario.optimizer = request.workload.optimizer;
  scenario.cross_entropy = request.workload.cross_entropy;
  scenario.cluster = candidate.cluster;
  scenario.preset = candidate.preset;
  scenario.transport = candidate.transport;
  scenario.strategies = candidate.strategies;
  scenario.gpus = candidate.gpus;
  scenario.input = request.workload.input;
  scenario.input_names = request.workload.input_names;
  if (candidate.cores_per_node > 0) scenario.input_names.cores_per_node = candidate.cores_per_node;
  scenario.seed = request.seed;
  scenario.samples = request.samples;
  scenario.slow_node = request.slow_node;
  return scenario;
}

/// The GPUs that compute the same samples, for which a stated micro-batch gives the same number of micro-batches as for
/// any multiple of them.
int gpus_of_one_replica(const Strategy& strategy) {
  if (!is_model_parallel(strategy.name) || seeks_best_layout(strategy)) return 1;
  return strategy.parallel.tensor * strategy.parallel.context * strategy.parallel.pipeline;
}

/// FNV-1a of a name. Unlike std::hash it is the same on every machine.
std::uint64_t seed_of_name(std::string_view name) {
  constexpr std::uint64_t basis = 14695981039346656037ULL;
  constexpr std::uint64_t prime = 1099511628211ULL;
  std::uint64_t hash = basis;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
  return hash;
}

std::size_t index_of(double Parameters::*value) {
  const auto fields = parameter_fields();
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.value == value; });
  return static_cast<std::size_t>(found - fields.begin());
}

/// Permutes the draws of one parameter among the samples. They stay stratified.
void reorder(Curve& curve, double Parameters::*value, std::uint64_t seed) {
  auto& draws = curve.samples;
  const auto field = index_of(value);
  std::mt19937_64 random(seed);
  const Draws before = draws;
  const auto order = random_order(static_cast<int>(draws.values.size()), random);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<std::size_t>(order[i]);
    draws.values[i].*value = before.values[from].*value;
    draws.z_scores[i][field] = before.z_scores[from][field];
  }
}

/// Makes uncertainties of one cluster or one GPU independent of those of other options. These are the model error, and
/// a GPU's rate unless a calibration correlates it with other parameters.
void separate_uncertainties(Curve& curve, std::uint64_t seed) {
  reorder(curve, &Parameters::model_discrepancy, seed ^ seed_of_name(curve.setup.cluster.name));
  for (const auto factor : {&Parameters::compute_stack, &Parameters::compute_model, &Parameters::compute_factor}) {
    const auto at = index_of(factor);
    const bool identified = at < curve.calibration.identified.size() && curve.calibration.identified[at];
    if (!identified) reorder(curve, factor, seed ^ seed_of_name(curve.setup.gpu.name));
  }
}

} // namespace

std::vector<PlanOption> make_plan_options(const PlanRequest& request, const DataFolder& data) {
  std::vector<PlanOption> options;
  const auto length = std::make_shared<const TrainingLength>(training_length(request.workload, data));
  for (const auto& candidate : request.candidates) {
    auto scenario = scenario_of(request, candidate);
    const auto files = std::make_shared<const KnownFiles>(scenario, cluster_of(candidate, data), data);
    const auto& known = files->knowledge();
    scenario.gpus = scales_of(request, candidate, known.cluster);
    const auto costs = node_costs(candidate, known.cluster, find_device(known.gpus, known.cluster.gpu));
    for (const auto& strategy : candidate.strategies)
      options.push_back({&candidate, strategy, files, scenario, costs, length});
  }
  return options;
}

double batch_at(const PlanRequest& request, const PlanOption& option, int gpus) {
  const double global = request.workload.global_batch;
  return global > 0 ? global / gpus : option.candidate->batch_per_gpu;
}

const Curve& curve_at(PlanOption& option, double batch_per_gpu) {
  auto& curve = option.curves[batch_per_gpu];
  if (!curve) {
    auto scenario = option.scenario;
    scenario.batch_per_gpu = batch_per_gpu;
    scenario.strategies = {option.strategy};
    scenario = scenario_at(scenario, option.files->model(), gpus_of_one_replica(option.strategy));
    auto made = make_curve(scenario, scenario.strategies.front(), option.files->model(), option.files->knowledge());
    separate_uncertainties(made, scenario.seed);
    curve = std::make_shared<const Curve>(std::move(made));
  }
  return *curve;
}

} // namespace ddlsim
