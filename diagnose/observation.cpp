#include "diagnose/observation.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/predict/collectives.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ddlsim {
namespace {

/// The most likely value for the shipped logs, each predicted without its cluster's measurements (0.4 to 0.6).
constexpr double common_where_unmeasured = 0.4;

/// Standard deviation of ln time if no table of this operation was fitted.
double prior_collective_spread(const StepSetup& setup, const Parameters& median) {
  const auto process = all_reduce_process(ModelConstants{}, library_rules_of(setup, median));
  return std::hypot(process.spread, process.balanced_spread);
}

IterationTime expected_collective(const Curve& curve, const Observation& one) {
  if (one.what == Measured::all_reduce) return predict_collective(curve, one.gpus, one.size_bytes).time;
  const auto setup = at_scale(curve, one.gpus);
  std::vector<double> ln_times;
  for (const auto& sample : curve.samples.values)
    ln_times.push_back(std::log(collective_alone_s(setup, sample, one.what, one.size_bytes)));
  const double spread = std::hypot(prior_collective_spread(setup, curve.median), curve.calibration.measurement_noise);
  return collective_interval(collective_alone_s(setup, curve.median, one.what, one.size_bytes), ln_times, spread);
}

/// The interval with a further deviation of ln time, independent of those that it has.
IterationTime widened(const IterationTime& time, double spread) {
  const double further = normal_quantile(0.95) * spread;
  const double below = std::hypot(std::log(time.s / time.s_low), further);
  const double above = std::hypot(std::log(time.s_high / time.s), further);
  return {time.s, time.s * std::exp(-below), time.s * std::exp(above)};
}

} // namespace

bool is_collective(const Observation& one) {
  return is_collective(one.what);
}

double bus_factor(Measured what, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  return what == Measured::all_reduce ? 2 * others : others;
}

double common_spread(const Curve& curve, const Observation& one) {
  return is_collective(one) && curve.calibration.all_reduces.empty() ? common_where_unmeasured : 0;
}

IterationTime expected_time(const Curve& curve, const Observation& one) {
  if (is_collective(one)) return widened(expected_collective(curve, one), common_spread(curve, one));
  const auto point = predict_point(curve, one.gpus, Fidelity::by_default).point;
  if (!point.error.empty()) throw UserError(one.where, "", point.error);
  return {point.iteration_s, point.iteration_s_low, point.iteration_s_high};
}

AllReduceCorrection correction_of(const Curve& curve, const Observation& one) {
  if (one.what == Measured::all_reduce) return all_reduce_correction_of(curve, one.gpus, one.size_bytes);
  AllReduceCorrection none;
  none.of.spread = prior_collective_spread(at_scale(curve, one.gpus), curve.median);
  return none;
}

std::string why_not_comparable(const Curve& curve, const Observation& one) {
  if (!is_collective(one)) return why_impossible(curve, one.gpus);
  if (is_parameter_server(curve.setup.strategy.name))
    return "parameter servers do not all-reduce; give --strategy with one that does";
  if (one.gpus < 2) return "one GPU alone has nothing to exchange; leave the line out";
  if (one.gpus > curve.growth_gpus)
    return fmt::format("{} GPUs are more than {} may grow to ({}); raise /growth/max_nodes of the cluster", one.gpus,
                       curve.setup.cluster.name, curve.growth_gpus);
  const auto setup = at_scale(curve, one.gpus);
  if (auto why = network_complaint(setup.transport, one.gpus, setup.gpus_per_node); !why.empty()) return why;
  return forced_complaint(library_rules_of(setup, curve.median), one.gpus);
}

} // namespace ddlsim
