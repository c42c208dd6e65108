#include "sim/predict/scaling_curve.hpp"

#include "sim/base/child_process.hpp"
#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/iteration/host_offload.hpp"
#include "sim/iteration/hybrid_shards.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/memory_fit.hpp"
#include "sim/iteration/optimizer_update.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "sim/iteration/pipeline_layout.hpp"
#include "sim/network/machine.hpp"
#include "sim/predict/input.hpp"
#include "sim/predict/interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <future>

namespace ddlsim {
namespace {

int nodes_of(const Curve& curve, int gpus) {
  return (gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node;
}

/// Share of the variance of ln(iteration time) that the picked parameters explain, by correlations of the drawn
/// z-scores. A correlation that a hundred draws of independent quantities would show is noise and does not count.
/// Compute has a label of its own and does not count either. Nor does the model discrepancy, which is no property of
/// the machine.
double share_of(const Curve& curve, const std::vector<double>& times_s, const std::vector<bool>& picked) {
  std::vector<double> log_times;
  for (const double time_s : times_s) log_times.push_back(std::log(time_s));
  constexpr double noise = 0.04; // (2 / sqrt(100))^2, because a calibration keeps 100 draws
  double share = 0;
  for (std::size_t k = 0; k < picked.size(); ++k) {
    const auto& field = parameter_fields()[k];
    if (!picked[k] || field.value == &Parameters::model_discrepancy || is_compute_factor(field)) continue;
    std::vector<double> z_scores;
    for (std::size_t i = 0; i < times_s.size(); ++i) z_scores.push_back(curve.samples.z_scores[i][k]);
    const double r = correlation(z_scores, log_times);
    if (r * r > noise) share += r * r;
  }
  return share;
}

/// Label of the weakest evidence among what determines the number.
EvidenceLabel evidence_of(const Curve& curve, const PredictedPoint& point, const std::vector<double>& times_s) {
  constexpr double depends_on = 0.5; // share of the variance from which the number depends on it
  const auto& info = curve.calibration;
  if (point.bottleneck == "input" && curve.input_uncertainty != InputUncertainty{}) return EvidenceLabel::assumed;
  if (point.gpus == 1 || was_measured(curve, point)) return curve.compute_label;
  std::vector<bool> unknown = info.identified;
  unknown.flip();
  if (!info.any || curve.compute_label == EvidenceLabel::assumed || share_of(curve, times_s, unknown) > depends_on)
    return EvidenceLabel::assumed;
  if (info.largest_nodes == 0 && info.largest_donor_nodes == 0)
    return EvidenceLabel::assumed; // no quantity of this kind was ever measured
  const bool transferred = curve.compute_label == EvidenceLabel::transferred || info.largest_nodes == 0 ||
                           share_of(curve, times_s, info.borrowed) > depends_on;
  if (transferred) return EvidenceLabel::transferred;
  return point.nodes > info.largest_nodes ? EvidenceLabel::extrapolated : curve.compute_label;
}

/// Whether the point has more nodes than the measurements that its evidence comes from; false when nothing was
/// measured.
bool is_extrapolated(const Curve& curve, const PredictedPoint& point) {
  const auto& info = curve.calibration;
  const bool own = point.evidence == EvidenceLabel::calibrated || point.evidence == EvidenceLabel::extrapolated;
  const int measured_nodes = own ? info.largest_nodes : std::max(info.largest_nodes, info.largest_donor_nodes);
  return point.gpus > 1 && measured_nodes > 0 && point.nodes > measured_nodes;
}

double connections_of(const StepSetup& setup, int nodes) {
  const auto strategy = completed(setup.strategy, setup.preset);
  const int stated = server_count(strategy.servers, setup.gpus, nodes);
  const double servers = stated > 0 ? stated : nodes;
  return servers * nodes * (strategy.on_node_reduce ? 1 : setup.gpus_per_node);
}

/// Returns why the job cannot have the scenario's placement; "" when it can.
std::string complaint_about_place(const StepSetup& setup, int nodes) {
  if (!setup.fabrics) return "";
  if (auto why = setup.fabrics->why_no_room(nodes); !why.empty()) return why;
  if (setup.fabrics->co_location().neighbours.empty() || !is_parameter_server(setup.strategy.name)) return "";
  constexpr double most_connections = 10000; // number of connections; more take above 10 ms a sample
  const double connections = connections_of(setup, nodes);
  if (connections <= most_connections) return "";
  return fmt::format("{:.0f} connections between nodes and servers are more than the {:.0f} that are followed beside "
                     "neighbours; ask for fewer servers, or give \"background_traffic\" in place of \"neighbours\"",
                     connections, most_connections);
}

/// Returns why `what` cannot be simulated on these links; "" when it can. The links must let groups of ranks act as
/// separate machines on one switch or on leaves.
std::string complaint_about_links(const StepSetup& setup, int per_node, const char* what, const char* instead) {
  if (!setup.fabrics) return "";
  if (!setup.fabrics->co_location().neighbours.empty())
    return fmt::format("{} beside neighbours is not simulated; give \"background_traffic\" in place of \"neighbours\"",
                       what);
  if (setup.fabrics->at((setup.gpus + per_node - 1) / per_node) != nullptr)
    return fmt::format(
        "{} is simulated on one switch or on leaves only, and the links of this fabric or of these nodes have "
        "to be followed one by one; {}",
        what, instead);
  return "";
}

/// Returns why a pipeline is impossible at this scale; "" when it is possible, and for other strategies.
std::string complaint_about_pipeline(const StepSetup& setup) {
  if (!is_model_parallel(setup.strategy.name)) return "";
  const int per_node = gpus_of_domain_used(setup);
  if (auto why = layout_complaint(setup.model, setup.strategy, setup.batch_per_gpu, setup.gpus, per_node); !why.empty())
    return why;
  if (setup.slow_node.compute_factor != 1 || setup.slow_node.network_factor != 1)
    return "a slow node in a pipeline is not simulated; leave \"slow_node\" out";
  return complaint_about_links(setup, per_node, "a pipeline", "ask for packed nodes, or for another strategy");
}

/// Returns why hybrid sharding is impossible at this scale; "" where it is possible.
std::string complaint_about_shards(const StepSetup& setup) {
  if (setup.strategy.sharded.shard_group == ShardedOptions::all_ranks) return "";
  const int per_node = setup.gpus_per_node * domain_nodes(setup.cluster, setup.transport);
  const int group = ranks_of_shard_group(setup.strategy.sharded, setup.gpus, setup.gpus_per_node);
  if (auto why = shard_complaint(group, setup.gpus, per_node); !why.empty() || group == setup.gpus) return why;
  return complaint_about_links(setup, per_node, "hybrid sharding",
                               "ask for packed nodes, or leave \"shard_group\" out");
}

/// Returns why such a run is impossible; "" when it is possible.
std::string complaint(const Curve& curve, const StepSetup& setup) {
  if (setup.batch_per_gpu < 1 && !is_model_parallel(setup.strategy.name))
    return fmt::format(
        "{:g} samples a GPU are less than one; give 1 or more, or model-parallel, whose groups share samples",
        setup.batch_per_gpu);
  if (auto why = network_complaint(setup.transport, setup.gpus, setup.gpus_per_node); !why.empty()) return why;
  if (auto why = complaint_about_place(setup, nodes_of(curve, setup.gpus)); !why.empty()) return why;
  if (auto why = forced_complaint(library_rules_of(setup, curve.median), setup.gpus); !why.empty()) return why;
  if (setup.gpus > curve.growth_gpus) {
    return fmt::format(
        "{} GPUs are more than {} may grow to ({}); raise /growth/max_nodes of the cluster or ask for fewer",
        setup.gpus, curve.setup.cluster.name, curve.growth_gpus);
  }
  if (auto why = complaint_about_pipeline(setup); !why.empty()) return why;
  if (auto why = complaint_about_shards(setup); !why.empty()) return why;
  if (auto why = offload_complaint(setup.model, setup.cluster, setup.strategy, setup.gpus, setup.gpus_per_node);
      !why.empty())
    return why;
  return curve.has_run ? "" : memory_refusal(setup);
}

/// The GPU's peak rate; 0 when the catalogue has none for that precision, as for a device that is not named.
double peak_or_none(const StepSetup& setup) {
  try {
    return peak_flop_per_s(setup.gpu, setup.precision);
  } catch (const UserError&) {
    return 0;
  }
}

/// Sets the peak, and what would make one fit that does not, or hardly.
void set_memory(PredictedPoint& point, const StepSetup& setup) {
  const auto parts = peak_memory(setup);
  auto& memory = point.memory.emplace();
  memory.parts = parts;
  memory.gpu_bytes = installed_bytes(setup.gpu);
  memory.half_width = memory_half_width(setup.model);
  memory.fit = memory_fit(parts.total(), setup.gpu, setup.model);
  if (memory.fit != MemoryFit::fits) memory.advice = advice_on_memory(setup, parts.total());
}

/// FLOP of attention's products in a forward pass, of every query with every key in its reach.
double attention_flop_per_sample(const Model& model) {
  double flop = 0;
  for (const auto& layer : model.layers)
    if (layer.kind == "attention") flop += layer.forward_flop_per_sample;
  return flop;
}

/// Sets the rate of tokens, the utilisation of the GPUs' peak, and memory.
void set_utilisation(PredictedPoint& point, const StepSetup& setup) {
  point.tokens_per_s = point.samples_per_s * setup.model.tokens_per_sample();
  const double flop_per_s = point.samples_per_s * setup.model.training_flop_per_sample();
  const double peak = peak_or_none(setup);
  if (peak > 0) point.flop_utilisation = flop_per_s / (setup.gpus * peak);
  const double masked = attention_flop_per_sample(setup.model) / 2;
  point.flop_utilisation_causal = point.flop_utilisation * (1 - masked / setup.model.forward_flop_per_sample());
  set_memory(point, setup);
  point.least_host_memory_bytes = least_host_memory(setup.model, setup.strategy, setup.gpus, setup.gpus_per_node);
}

void set_times(PredictedPoint& point, const Curve& curve, const StepSetup& setup, const StepTime& time) {
  point.iteration_s = time.iteration_s;
  point.samples_per_s = setup.gpus * setup.batch_per_gpu / time.iteration_s;
  point.efficiency = one_gpu_iteration_s(curve, curve.median) / time.iteration_s;
  point.parts = time.parts;
  point.mean_staleness = time.mean_staleness;
  point.bottleneck = time.bottleneck;
  point.simgrid_messages = time.simgrid_messages;
  if (!time.largest_collective) return;
  const auto protocol = time.largest_collective->protocol;
  point.algorithm = to_text(time.largest_collective->collective);
  point.protocol = protocol == Protocol::none ? "" : to_text(protocol);
  point.largest_collective_bytes = time.largest_collective->size_bytes;
}

/// The ratio of `time` to the likeliest sample's time by the formulas, both without waiting for input.
double fidelity_ratio(const Curve& curve, StepSetup setup, const StepTime& time) {
  setup.input = {};
  const auto likeliest = estimated(curve, curve.median, setup.gpus);
  return (time.iteration_s - time.parts.input_wait_s) / time_step(setup, likeliest, Fidelity::formula).iteration_s;
}

/// Sets the efficiency that counts nodes bought for servers alone: their GPUs are paid for and compute nothing.
void set_efficiency_per_gpu_bought(PredictedPoint& point, const Curve& curve) {
  const double bought = point.gpus + point.server_nodes * curve.gpus_per_full_node;
  const double workers = point.gpus / bought;
  point.efficiency_per_gpu_bought = workers * point.efficiency;
  point.efficiency_per_gpu_bought_low = workers * point.efficiency_low;
  point.efficiency_per_gpu_bought_high = workers * point.efficiency_high;
}

void set_rate_per_node_bought(PredictedPoint& point) {
  const double bought = point.nodes + point.server_nodes;
  point.samples_per_s_per_node_bought = point.samples_per_s / bought;
  point.samples_per_s_per_node_bought_low = point.samples_per_s_low / bought;
  point.samples_per_s_per_node_bought_high = point.samples_per_s_high / bought;
}

/// Sets what a user could change about servers: the tensor that limits them, and the servers that the search chose.
void set_servers(PredictedPoint& point, const Curve& curve, const StepSetup& setup, const StepTime& time) {
  if (!starts_servers(setup)) return;
  if (curve.best_servers) point.best_servers = strategy_taken(setup, curve.median);
  if (time.largest_loss == time.communication) point.unsplit_tensor = find_unsplit_tensor(setup, curve.median);
}

/// Time of the likeliest sample by `fidelity`.
StepTime likeliest_time(const Curve& curve, int gpus, Fidelity fidelity) {
  return time_step(at_scale(curve, gpus), estimated(curve, curve.median, gpus), fidelity);
}

} // namespace

bool was_measured(const Curve& curve, const PredictedPoint& point) {
  const auto& own = curve.calibration.own;
  return !curve.calibration.of_other_batches && std::any_of(own.begin(), own.end(), [&](const KnownResidual& known) {
    return known.scale.gpus == point.gpus && known.scale.nodes == point.nodes;
  });
}

StepSetup at_scale(const Curve& curve, int gpus) {
  auto setup = on_gpus(curve.setup, gpus, curve.gpus_per_full_node);
  if (curve.best_servers) setup.strategy = curve.best_servers->at(gpus);
  if (curve.best_layout) setup.strategy = curve.best_layout->at(gpus).strategy;
  return setup;
}

std::string why_impossible(const Curve& curve, int gpus) {
  return complaint(curve, at_scale(curve, gpus));
}

StepRun likeliest_run(const Curve& curve, int gpus, Fidelity fidelity) {
  return run_step(at_scale(curve, gpus), estimated(curve, curve.median, gpus), fidelity);
}

double one_gpu_iteration_s(const Curve& curve, const Parameters& sample) {
  return time_step(without_shared_update(at_scale(curve, 1)), sample, Fidelity::formula).iteration_s;
}

double efficiency(const Curve& curve, const Parameters& sample, int gpus) {
  return efficiency(curve, sample, gpus, model_error_at(curve, gpus));
}

std::optional<ShownEfficiency> predicted_efficiency(const Curve& curve, int gpus, Fidelity fidelity) {
  const auto setup = at_scale(curve, gpus);
  if (!complaint(curve, setup).empty()) return {};
  try {
    const auto time = likeliest_time(curve, gpus, fidelity);
    return ShownEfficiency{one_gpu_iteration_s(curve, curve.median) / time.iteration_s, time.largest_loss};
  } catch (const UserError&) {
    return {};
  }
}

namespace {

/// Makes a point and the times of its samples. `likeliest` returns the time of the likeliest sample, and is called
/// after the samples are computed.
PointAndSamples answer_point(const Curve& curve, int gpus, const std::function<StepTime()>& likeliest) {
  PointAndSamples answer;
  auto& point = answer.point;
  point.gpus = gpus;
  point.nodes = nodes_of(curve, gpus);
  const auto setup = at_scale(curve, gpus);
  point.error = complaint(curve, setup);
  if (!point.error.empty()) return answer;
  try {
    point.server_nodes = dedicated_server_hosts(setup, curve.median);
    const auto mechanism_s = mechanism_times(curve, gpus);
    const auto time = likeliest();
    answer.sample_times_s = with_residuals(curve, gpus, mechanism_s);
    const double to_number = fidelity_ratio(curve, setup, time);
    set_times(point, curve, setup, time);
    set_interval(point, curve, setup, to_number, mechanism_s);
    point.input = find_input_need(point, curve, setup, to_number, mechanism_s);
    point.fidelity = to_text(time.choice.engine);
    point.fidelity_note = time.choice.why;
    point.evidence = evidence_of(curve, point, answer.sample_times_s);
    point.extrapolated = is_extrapolated(curve, point);
    set_utilisation(point, setup);
    set_efficiency_per_gpu_bought(point, curve);
    set_rate_per_node_bought(point);
    set_servers(point, curve, setup, time);
    if (curve.best_layout) point.best_layout = curve.best_layout->at(gpus);
    point.parts = parts_of_whole(point.parts, point.iteration_s);
  } catch (const UserError& error) {
    point.error = error.mistakes().front().what;
  }
  return answer;
}

} // namespace

PointAndSamples predict_point(const Curve& curve, int gpus, Fidelity fidelity) {
  return answer_point(curve, gpus, [&] { return likeliest_time(curve, gpus, fidelity); });
}

std::vector<PointAndSamples> predict_points(const Curve& curve, const std::vector<int>& scales, Fidelity fidelity,
                                            const std::function<void(int gpus)>& begins) {
  start_fork_server(); // the server must start before there are threads
  std::vector<std::packaged_task<StepTime()>> runs;
  for (const int gpus : scales)
    runs.emplace_back([&curve, gpus, fidelity] {
      return complaint(curve, at_scale(curve, gpus)).empty() ? likeliest_time(curve, gpus, fidelity) : StepTime{};
    });
  std::vector<std::future<StepTime>> times;
  for (auto& run : runs) times.push_back(run.get_future());
  std::atomic<std::size_t> left = runs.size(); // the largest scales are run first, because they take longest
  const auto run_all = [&] {
    for (std::size_t taken = left; taken > 0;)
      if (left.compare_exchange_weak(taken, taken - 1)) runs[taken - 1]();
  };
  std::vector<std::future<void>> runners;
  for (int t = 0; t < std::max(1, std::min(curve.threads, static_cast<int>(runs.size()))); ++t)
    runners.push_back(std::async(std::launch::async, run_all));
  std::vector<PointAndSamples> points;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    begins(scales[i]);
    points.push_back(answer_point(curve, scales[i], [&] { return times[i].get(); }));
  }
  return points;
}

} // namespace ddlsim
