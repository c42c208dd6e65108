#include "diagnose/observation.hpp"

#include "sim/base/error.hpp"
#include "sim/predict/collectives.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ddlsim {
namespace {

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

} // namespace

bool is_collective(const Observation& one) {
  return is_collective(one.what);
}

double bus_factor(Measured what, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  return what == Measured::all_reduce ? 2 * others : others;
}

IterationTime expected_time(const Curve& curve, const Observation& one) {
  if (is_collective(one)) return expected_collective(curve, one);
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
