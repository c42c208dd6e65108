#pragma once
// What a person measured on a cluster and wants judged, and how the model times it.

#include "sim/predict/prediction.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <optional>
#include <string>

namespace ddlsim {

/// An iteration of training, or one collective by itself.
enum class Observed { iteration, all_reduce, reduce_scatter, all_gather, all_to_all };

std::string to_text(Observed what); ///< "iteration", "all_reduce", as records name it

/// The collective that a record names; nothing where the model does not time it alone.
std::optional<Observed> collective_named(const std::string& operation);

struct Observation {
  Observed what = Observed::iteration;
  int gpus = 1;
  double size_bytes = 0; ///< of a collective: what nccl-tests calls size
  double time_s = 0;
  std::string where{}; ///< file and line, or the option it was given by
};

bool is_collective(const Observation& one);

/// Bus bandwidth over algorithm bandwidth (NVIDIA/nccl-tests, doc/PERFORMANCE.md).
double bus_factor(Observed what, int ranks);

/// One sample's seconds for it, without what no parameter explains. Reduce-scatter and all-gather run as NCCL runs
/// them: rings, by the protocol that it takes for a ring of that size.
double lone_collective_s(const StepSetup& setup, const Parameters& sample, Observed what, double size_bytes);

/// What a healthy cluster takes, with 90 % of what will be measured. Throws UserError where an iteration cannot be.
IterationTime expected_time(const Curve& curve, const Observation& one);

/// What neighbours that were measured here say of a collective; of all-reduces only, others were never learnt from.
SumCorrection correction_of(const Curve& curve, const Observation& one);

/// Why the point cannot be judged on this cluster, one sentence; "" where it can. A benchmark of collectives needs no
/// memory of a model.
std::string why_not_judged(const Curve& curve, const Observation& one);

} // namespace ddlsim
