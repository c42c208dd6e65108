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
  if (one.what == Observed::all_reduce) return predict_collective(curve, one.gpus, one.size_bytes).time;
  const auto setup = at_scale(curve, one.gpus);
  std::vector<double> ln_times;
  for (const auto& sample : curve.samples.values)
    ln_times.push_back(std::log(collective_alone_s(setup, sample, one.what, one.size_bytes)));
  const double spread = std::hypot(prior_collective_spread(setup, curve.median), curve.calibration.measurement_noise);
  return collective_interval(collective_alone_s(setup, curve.median, one.what, one.size_bytes), ln_times, spread);
}

} // namespace

std::string to_text(Observed what) {
  switch (what) {
  case Observed::all_reduce:
    return "all_reduce";
  case Observed::reduce_scatter:
    return "reduce_scatter";
  case Observed::all_gather:
    return "all_gather";
  case Observed::all_to_all:
    return "all_to_all";
  case Observed::iteration:
    break;
  }
  return "iteration";
}

std::optional<Observed> collective_named(const std::string& operation) {
  for (const auto what : {Observed::all_reduce, Observed::reduce_scatter, Observed::all_gather, Observed::all_to_all})
    if (operation == to_text(what)) return what;
  return std::nullopt;
}

bool is_collective(const Observation& one) {
  return one.what != Observed::iteration;
}

double bus_factor(Observed what, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  return what == Observed::all_reduce ? 2 * others : others;
}

double collective_alone_s(const StepSetup& setup, const Parameters& sample, Observed what, double size_bytes) {
  switch (what) {
  case Observed::reduce_scatter:
    return lone_collective_s(setup, sample, CollectiveOperation::reduce_scatter, size_bytes);
  case Observed::all_gather:
    return lone_collective_s(setup, sample, CollectiveOperation::all_gather, size_bytes);
  case Observed::all_to_all:
    return lone_all_to_all_s(setup, sample, size_bytes);
  case Observed::iteration:
  case Observed::all_reduce:
    break;
  }
  return lone_all_reduce_s(setup, sample, size_bytes);
}

IterationTime expected_time(const Curve& curve, const Observation& one) {
  if (is_collective(one)) return expected_collective(curve, one);
  const auto point = predict_point(curve, one.gpus, Fidelity::by_default).point;
  if (!point.error.empty()) throw UserError(one.where, "", point.error);
  return {point.iteration_s, point.iteration_s_low, point.iteration_s_high};
}

AllReduceCorrection correction_of(const Curve& curve, const Observation& one) {
  if (one.what == Observed::all_reduce) return all_reduce_correction_of(curve, one.gpus, one.size_bytes);
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
