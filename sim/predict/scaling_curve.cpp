#include "sim/predict/scaling_curve.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/iteration/memory.hpp"
#include "sim/iteration/step_cache.hpp"
#include "sim/network/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>

namespace ddlsim {
namespace {

int nodes_of(const Curve& curve, int gpus) {
  return (gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node;
}

/// Share of the variance of ln(iteration time) that comes with the parameters picked, by correlations of the drawn
/// z-scores, of which a few per cent are noise. Compute and the model discrepancy are not counted: the one has a label
/// of its own, the other is no property of the machine.
double share_of(const Curve& curve, const std::vector<double>& times_s, const std::vector<bool>& picked) {
  std::vector<double> log_times;
  for (const double time_s : times_s) log_times.push_back(std::log(time_s));
  double share = 0;
  for (std::size_t k = 0; k < picked.size(); ++k) {
    const auto field = parameter_fields()[k].value;
    if (!picked[k] || field == &Parameters::model_discrepancy || field == &Parameters::compute_factor) continue;
    std::vector<double> z_scores;
    for (std::size_t i = 0; i < times_s.size(); ++i) z_scores.push_back(curve.samples.z_scores[i][k]);
    const double r = correlation(z_scores, log_times);
    share += r * r;
  }
  return share;
}

/// Label of the weakest evidence that decides the number.
EvidenceLabel evidence_of(const Curve& curve, const PredictedPoint& point, const std::vector<double>& times_s) {
  constexpr double depends_on = 0.5; // of the variance
  const auto& learnt = curve.learnt;
  if (point.gpus == 1) return curve.compute_label;
  std::vector<bool> unknown = learnt.identified;
  unknown.flip();
  if (!learnt.any || curve.compute_label == EvidenceLabel::assumed || share_of(curve, times_s, unknown) > depends_on)
    return EvidenceLabel::assumed;
  if (learnt.largest_nodes == 0 && learnt.largest_donor_nodes == 0)
    return EvidenceLabel::assumed; // nothing of this kind was ever run
  const bool transferred = curve.compute_label == EvidenceLabel::transferred || learnt.largest_nodes == 0 ||
                           share_of(curve, times_s, learnt.borrowed) > depends_on;
  if (transferred) return EvidenceLabel::transferred;
  return point.nodes > learnt.largest_nodes ? EvidenceLabel::extrapolated : curve.compute_label;
}

/// Whether the point has more nodes than what its evidence was measured on; where nothing was, there is nothing to
/// extrapolate from.
bool is_extrapolated(const Curve& curve, const PredictedPoint& point) {
  const auto& learnt = curve.learnt;
  const bool own = point.evidence == EvidenceLabel::calibrated || point.evidence == EvidenceLabel::extrapolated;
  const int measured_nodes = own ? learnt.largest_nodes : std::max(learnt.largest_nodes, learnt.largest_donor_nodes);
  return point.gpus > 1 && measured_nodes > 0 && point.nodes > measured_nodes;
}

/// Why such a run is impossible; "" when it is not.
std::string complaint(const Curve& curve, const StepSetup& setup) {
  if (const auto why = network_complaint(setup.transport, setup.gpus, setup.gpus_per_node); !why.empty()) return why;
  if (setup.gpus > curve.growth_gpus) {
    return fmt::format(
        "{} GPUs are more than {} may grow to ({}); raise /growth/max_nodes of the cluster or ask for fewer",
        setup.gpus, curve.setup.cluster.name, curve.growth_gpus);
  }
  return memory_complaint(setup.model, setup.gpu, setup.precision, setup.batch_per_gpu);
}

/// By work and not by the clock, so that the same question has the same answer everywhere.
std::size_t affordable_samples(const Curve& curve, const StepSetup& setup) {
  constexpr double affordable_work = 2e6; // about 0.2 s
  constexpr double fewest_samples = 40;   // two beyond each end of the interval
  const double count = std::max(fewest_samples, affordable_work / work_of_step(setup, curve.median));
  const auto all = static_cast<double>(curve.samples.values.size());
  return static_cast<std::size_t>(std::min(all, count));
}

void set_times(PredictedPoint& point, const Curve& curve, const StepSetup& setup, const StepTime& time) {
  point.iteration_s = time.iteration_s;
  point.samples_per_s = setup.gpus * setup.batch_per_gpu / time.iteration_s;
  point.efficiency = one_gpu_iteration_s(curve, curve.median) / time.iteration_s;
  point.compute_s = time.compute_s;
  point.exposed_communication_s = time.exposed_communication_s;
  point.synchronisation_s = time.synchronisation_s;
  point.straggling_s = time.straggling_s;
  point.input_wait_s = time.input_wait_s;
  point.mean_staleness = time.mean_staleness;
  point.bottleneck = time.bottleneck;
}

/// The gap of an approximate fidelity comes on top of the samples' spread.
void widen_by_gap(PredictedPoint& point, const Choice& choice) {
  point.iteration_s_low += choice.faster * point.exposed_communication_s;
  point.iteration_s_high += choice.slower * point.exposed_communication_s;
}

/// Efficiency compares with one GPU of the same sample: a slow GPU is slow on both sides.
void set_interval(PredictedPoint& point, const Curve& curve, const StepSetup& setup, const Choice& choice,
                  const std::vector<double>& times_s) {
  const double screening_s =
      time_step(setup, estimated(curve, curve.median, setup.gpus), Fidelity::screening).iteration_s;
  const double to_number = point.iteration_s / screening_s;
  std::vector<double> efficiencies;
  for (std::size_t i = 0; i < times_s.size(); ++i)
    efficiencies.push_back(one_gpu_iteration_s(curve, curve.samples.values[i]) / (to_number * times_s[i]));
  point.iteration_s_low = std::min(point.iteration_s, to_number * quantile(times_s, low_tail));
  point.iteration_s_high = std::max(point.iteration_s, to_number * quantile(times_s, high_tail));
  widen_by_gap(point, choice);
  point.samples_per_s_low = setup.gpus * setup.batch_per_gpu / point.iteration_s_high;
  point.samples_per_s_high = setup.gpus * setup.batch_per_gpu / point.iteration_s_low;
  point.efficiency_low = std::min(point.efficiency, quantile(efficiencies, low_tail));
  point.efficiency_high = std::max(point.efficiency, quantile(efficiencies, high_tail));
}

/// A node bought for servers alone is one of the cluster's: its GPUs are paid for and compute nothing.
void set_efficiency_per_gpu_bought(PredictedPoint& point, const Curve& curve) {
  const double bought = point.gpus + point.server_nodes * curve.gpus_per_full_node;
  const double workers = point.gpus / bought;
  point.efficiency_per_gpu_bought = workers * point.efficiency;
  point.efficiency_per_gpu_bought_low = workers * point.efficiency_low;
  point.efficiency_per_gpu_bought_high = workers * point.efficiency_high;
}

/// What the parts leave of the iteration time as it is told, whatever moved that away from the mechanisms.
void set_unexplained(PredictedPoint& point) {
  constexpr double rounding = 1e-12; // of sums of six parts
  const double rest_s = point.iteration_s - (point.compute_s + point.exposed_communication_s + point.synchronisation_s +
                                             point.straggling_s + point.input_wait_s);
  point.unexplained_s = std::abs(rest_s) < rounding * point.iteration_s ? 0 : rest_s;
}

} // namespace

StepSetup at_scale(const Curve& curve, int gpus) {
  StepSetup setup = curve.setup;
  setup.gpus = gpus;
  setup.gpus_per_node = std::min(gpus, curve.gpus_per_full_node);
  setup.synchronised = gpus > 1;
  return setup;
}

Parameters estimated(const Curve& curve, const Parameters& sample, int gpus) {
  const ResidualEstimate own =
      estimate_residual(curve.learnt.residual_process, curve.learnt.own, {gpus, nodes_of(curve, gpus)});
  Parameters there = sample;
  there.model_discrepancy =
      std::exp(own.mean) * std::pow(sample.model_discrepancy, own.spread / curve.discrepancy_width);
  return there;
}

std::vector<double> sample_times(const Curve& curve, int gpus) {
  constexpr std::size_t threads = 2;
  const auto setup = at_scale(curve, gpus);
  std::vector<double> times_s(affordable_samples(curve, setup));
  const auto run_every_other = [&](std::size_t first) {
    StepCache memory; // neighbours have much in common
    for (std::size_t i = first; i < times_s.size(); i += threads) {
      const auto sample = estimated(curve, curve.samples.values[i], gpus);
      times_s[i] = time_step(setup, sample, Fidelity::screening, memory).iteration_s;
    }
  };
  auto other = std::async(std::launch::async, run_every_other, 1);
  run_every_other(0);
  other.get();
  return times_s;
}

double one_gpu_iteration_s(const Curve& curve, const Parameters& sample) {
  return time_step(at_scale(curve, 1), sample, Fidelity::screening).iteration_s;
}

double efficiency(const Curve& curve, const Parameters& sample, int gpus) {
  return one_gpu_iteration_s(curve, sample) /
         time_step(at_scale(curve, gpus), estimated(curve, sample, gpus), Fidelity::screening).iteration_s;
}

PointAndSamples predict_point(const Curve& curve, int gpus, Fidelity fidelity) {
  PointAndSamples answer;
  auto& point = answer.point;
  point.gpus = gpus;
  point.nodes = nodes_of(curve, gpus);
  const auto setup = at_scale(curve, gpus);
  point.error = complaint(curve, setup);
  if (!point.error.empty()) return answer;
  try {
    point.server_nodes = dedicated_server_hosts(setup, curve.median);
    const auto time = time_step(setup, estimated(curve, curve.median, gpus), fidelity);
    answer.sample_times_s = sample_times(curve, gpus);
    set_times(point, curve, setup, time);
    set_interval(point, curve, setup, time.choice, answer.sample_times_s);
    point.fidelity = to_text(time.choice.fidelity);
    point.fidelity_note = time.choice.why;
    point.evidence = evidence_of(curve, point, answer.sample_times_s);
    point.extrapolated = is_extrapolated(curve, point);
    set_efficiency_per_gpu_bought(point, curve);
    set_unexplained(point);
  } catch (const UserError& error) {
    point.error = error.mistakes().front().what;
  }
  return answer;
}

} // namespace ddlsim
