#include "sim/predict/scaling_curve.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/iteration/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

int nodes_of(const Curve& curve, int gpus) {
  return (gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node;
}

/// Share of the variance of ln(iteration time) that comes with the parameters picked; correlations of drawn
/// coordinates, so a few per cent are noise. Compute and the form's residual have words of their own.
double share_of(const Curve& curve, const std::vector<double>& times_s, const std::vector<bool>& picked) {
  std::vector<double> log_times;
  for (const double time_s : times_s) log_times.push_back(std::log(time_s));
  double share = 0;
  for (std::size_t k = 0; k < picked.size(); ++k) {
    const auto field = parameter_fields()[k].value;
    if (!picked[k] || field == &Parameters::form_residual || field == &Parameters::compute_factor) continue;
    std::vector<double> coordinates;
    for (std::size_t i = 0; i < times_s.size(); ++i) coordinates.push_back(curve.worlds.coordinates[i][k]);
    const double r = correlation(coordinates, log_times);
    share += r * r;
  }
  return share;
}

/// The weakest that the number hangs on.
std::string evidence_of(const Curve& curve, const PredictedPoint& point, const std::vector<double>& times_s) {
  constexpr double hangs_on = 0.5; // of the variance
  const auto& learnt = curve.learnt;
  if (point.gpus == 1) return curve.compute_label;
  std::vector<bool> unknown = learnt.identified;
  unknown.flip();
  if (!learnt.any || curve.compute_label == "assumed" || share_of(curve, times_s, unknown) > hangs_on) return "assumed";
  if (learnt.largest_nodes == 0 && !learnt.lent) return "assumed"; // nothing of this kind was ever run
  const bool lent = curve.compute_label == "transferred" || learnt.largest_nodes == 0 ||
                    share_of(curve, times_s, learnt.borrowed) > hangs_on;
  if (lent) return "transferred";
  return point.nodes > learnt.largest_nodes ? "extrapolated" : curve.compute_label;
}

/// Why there can be no such run; "" when there can.
std::string complaint(const Curve& curve, const StepSetup& setup) {
  if (setup.gpus > curve.growth_gpus) {
    return fmt::format(
        "{} GPUs are more than {} may grow to ({}); raise /growth/max_nodes of the cluster or ask for fewer",
        setup.gpus, curve.setup.cluster.name, curve.growth_gpus);
  }
  return memory_complaint(setup.model, setup.gpu, setup.precision, setup.batch_per_gpu);
}

/// By work and not by the clock, so that the same question has the same answer everywhere.
std::size_t affordable_worlds(const Curve& curve, const StepSetup& setup) {
  constexpr double affordable_work = 2e6; // about 0.2 s
  constexpr double fewest_worlds = 40;    // two beyond each end of the interval
  const double count = std::max(fewest_worlds, affordable_work / work_of_step(setup, curve.median));
  const auto all = static_cast<double>(curve.worlds.values.size());
  return static_cast<std::size_t>(std::min(all, count));
}

void set_times(PredictedPoint& point, const StepSetup& setup, const StepTime& time) {
  point.iteration_s = time.iteration_s;
  point.samples_per_s = setup.gpus * setup.batch_per_gpu / time.iteration_s;
  point.efficiency = setup.one_gpu_s / time.iteration_s;
  point.compute_s = time.compute_s;
  point.exposed_communication_s = time.exposed_communication_s;
  point.synchronisation_s = time.synchronisation_s;
  point.straggling_s = time.straggling_s;
  point.input_wait_s = time.input_wait_s;
  point.mean_staleness = time.mean_staleness;
  point.bottleneck = time.bottleneck;
}

/// What the communication's way of running may be off comes on top of the worlds.
void widen_by_gap(PredictedPoint& point, const Choice& choice) {
  point.iteration_s_low += choice.faster * point.exposed_communication_s;
  point.iteration_s_high += choice.slower * point.exposed_communication_s;
}

/// Efficiency compares with one GPU of the same world: a slow GPU is slow on both sides.
void set_interval(PredictedPoint& point, const Curve& curve, const StepSetup& setup, const Choice& choice,
                  const std::vector<double>& times_s) {
  const double quick_s = time_step(setup, carried(curve, curve.median, setup.gpus), Fidelity::quick).iteration_s;
  const double carry = point.iteration_s / quick_s;
  std::vector<double> efficiencies;
  for (std::size_t i = 0; i < times_s.size(); ++i)
    efficiencies.push_back(setup.one_gpu_s * curve.worlds.values[i].compute_factor / (carry * times_s[i]));
  point.iteration_s_low = std::min(point.iteration_s, carry * quantile(times_s, low_tail));
  point.iteration_s_high = std::max(point.iteration_s, carry * quantile(times_s, high_tail));
  widen_by_gap(point, choice);
  point.samples_per_s_low = setup.gpus * setup.batch_per_gpu / point.iteration_s_high;
  point.samples_per_s_high = setup.gpus * setup.batch_per_gpu / point.iteration_s_low;
  point.efficiency_low = std::min(point.efficiency, quantile(efficiencies, low_tail));
  point.efficiency_high = std::max(point.efficiency, quantile(efficiencies, high_tail));
}

} // namespace

StepSetup at_scale(const Curve& curve, int gpus) {
  StepSetup setup = curve.setup;
  setup.gpus = gpus;
  setup.gpus_per_node = std::min(gpus, curve.gpus_per_full_node);
  setup.synchronised = gpus > 1;
  return setup;
}

Parameters carried(const Curve& curve, const Parameters& world, int gpus) {
  const Carried own = carry(curve.learnt.law, curve.learnt.own, {gpus, nodes_of(curve, gpus)});
  Parameters there = world;
  there.form_residual = std::exp(own.mean) * std::pow(world.form_residual, own.spread / curve.form_width);
  return there;
}

std::vector<double> world_times(const Curve& curve, int gpus) {
  const auto setup = at_scale(curve, gpus);
  const std::size_t count = affordable_worlds(curve, setup);
  std::vector<double> times_s;
  times_s.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    times_s.push_back(time_step(setup, carried(curve, curve.worlds.values[i], gpus), Fidelity::quick).iteration_s);
  return times_s;
}

double efficiency(const Curve& curve, const Parameters& world, int gpus) {
  const auto setup = at_scale(curve, gpus);
  return setup.one_gpu_s * world.compute_factor /
         time_step(setup, carried(curve, world, gpus), Fidelity::quick).iteration_s;
}

PointAndWorlds predict_point(const Curve& curve, int gpus, Fidelity fidelity) {
  PointAndWorlds answer;
  auto& point = answer.point;
  point.gpus = gpus;
  point.nodes = nodes_of(curve, gpus);
  const auto setup = at_scale(curve, gpus);
  point.error = complaint(curve, setup);
  if (!point.error.empty()) return answer;
  try {
    point.server_nodes = dedicated_server_hosts(setup, curve.median);
    const auto time = time_step(setup, carried(curve, curve.median, gpus), fidelity);
    answer.world_times_s = world_times(curve, gpus);
    set_times(point, setup, time);
    set_interval(point, curve, setup, time.choice, answer.world_times_s);
    point.fidelity = to_text(time.choice.fidelity);
    point.fidelity_note = time.choice.why;
    point.evidence = evidence_of(curve, point, answer.world_times_s);
  } catch (const UserError& error) {
    point.error = error.mistakes().front().what;
  }
  return answer;
}

} // namespace ddlsim
