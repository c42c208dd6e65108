#pragma once
// A time that a person measured on a cluster, and the time that the model expects.

#include "sim/predict/prediction.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <optional>
#include <string>

namespace ddlsim {

/// What was timed: an iteration of training, or one collective by itself.
enum class Observed { iteration, all_reduce, reduce_scatter, all_gather, all_to_all };

std::string to_text(Observed what); ///< returns "iteration", "all_reduce" and so on, as records name it

/// Returns the collective that a record names; nothing if the model does not predict that collective alone.
std::optional<Observed> collective_named(const std::string& operation);

struct Observation {
  Observed what = Observed::iteration;
  int gpus = 1;
  double size_bytes = 0; ///< bytes of a collective, as nccl-tests counts its size
  double time_s = 0;
  std::string where{}; ///< file and line, or the option of the command line
};

bool is_collective(const Observation& one);

/// Bus bandwidth over algorithm bandwidth (NVIDIA/nccl-tests, doc/PERFORMANCE.md).
double bus_factor(Observed what, int ranks);

/// Seconds of one collective that runs alone, for one sample of the parameters, without the error of the model.
/// Reduce-scatter and all-gather run as NCCL runs them: as rings, with the protocol that it takes for a ring of that
/// size.
double collective_alone_s(const StepSetup& setup, const Parameters& sample, Observed what, double size_bytes);

/// The time on a healthy cluster, with the interval that holds 90 % of measurements. Throws UserError where an
/// iteration is impossible.
IterationTime expected_time(const Curve& curve, const Observation& one);

/// The correction of a collective's time by neighbouring measurements on this cluster. Only all-reduces have one,
/// because no model was fitted to other collectives.
AllReduceCorrection correction_of(const Curve& curve, const Observation& one);

/// Returns one sentence on why the point has no expected time on this cluster; "" if it has one. A benchmark of
/// collectives needs no memory for a model.
std::string why_not_comparable(const Curve& curve, const Observation& one);

} // namespace ddlsim
