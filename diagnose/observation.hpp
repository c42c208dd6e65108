#pragma once
// A time that a person measured on a cluster, and the time that the model expects.

#include "sim/predict/measured_operation.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <string>

namespace ddlsim {

struct Observation {
  Measured what = Measured::step;
  int gpus = 1;
  double size_bytes = 0; ///< bytes of a collective, as nccl-tests counts its size
  double time_s = 0;
  std::string where{}; ///< file and line, or the option of the command line
};

bool is_collective(const Observation& one);

/// Bus bandwidth over algorithm bandwidth (NVIDIA/nccl-tests, doc/PERFORMANCE.md).
double bus_factor(Measured what, int ranks);

/// Standard deviation of ln of a factor that all collectives share on a healthy cluster without any table of them,
/// because their path is only assumed in the cluster's file. 0 where a table was measured, and of iterations.
double common_spread(const Curve& curve, const Observation& one);

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
