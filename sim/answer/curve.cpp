#include "sim/answer/curve.hpp"

#include "sim/answer/quantile.hpp"
#include "sim/files/error.hpp"
#include "sim/model/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// Nothing beyond one GPU is narrowed by a measurement yet: what synchronisation costs hangs on the catalogue's priors.
std::string evidence_of(const Curve& curve, int gpus) {
  return gpus == 1 ? curve.compute_label : "assumed";
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
  const double quick_s = time_step(setup, curve.median, Fidelity::quick).iteration_s;
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

std::vector<double> world_times(const Curve& curve, int gpus) {
  const auto setup = at_scale(curve, gpus);
  const std::size_t count = affordable_worlds(curve, setup);
  std::vector<double> times_s;
  times_s.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    times_s.push_back(time_step(setup, curve.worlds.values[i], Fidelity::quick).iteration_s);
  return times_s;
}

double efficiency(const Curve& curve, const Parameters& world, int gpus) {
  const auto setup = at_scale(curve, gpus);
  return setup.one_gpu_s * world.compute_factor / time_step(setup, world, Fidelity::quick).iteration_s;
}

PointAndWorlds predict_point(const Curve& curve, int gpus, Fidelity fidelity) {
  PointAndWorlds answer;
  auto& point = answer.point;
  point.gpus = gpus;
  point.nodes = (gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node;
  const auto setup = at_scale(curve, gpus);
  point.error = complaint(curve, setup);
  if (!point.error.empty()) return answer;
  try {
    point.server_nodes = dedicated_server_hosts(setup, curve.median);
    const auto time = time_step(setup, curve.median, fidelity);
    answer.world_times_s = world_times(curve, gpus);
    set_times(point, setup, time);
    set_interval(point, curve, setup, time.choice, answer.world_times_s);
    point.fidelity = to_text(time.choice.fidelity);
    point.fidelity_note = time.choice.why;
    point.evidence = evidence_of(curve, gpus);
  } catch (const UserError& error) {
    point.error = error.mistakes().front().what;
  }
  return answer;
}

} // namespace ddlsim
