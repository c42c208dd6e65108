#pragma once
// The line t(batch) = fixed + per sample x batch behind some measured iteration times of one GPU.

#include "sim/compute/layer_times.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/model_constants.hpp"

#include <vector>

namespace ddlsim {

/// Properties of a model that decide how long an iteration takes.
struct ModelSize {
  double layers = 0;
  double size_bytes = 0; ///< parameters in fp32
  ModelWork work{};      ///< of a sample
  bool attends = false;  ///< has layers of attention
};
ModelSize size_of(const Model& model);

/// Fixed part before any measurement, seconds: 60 us a layer and pass (forward, data gradient, weight gradient) for
/// launching, and the optimizer, which touches each parameter five times (gradient and weight read, momentum read and
/// written, weight written) at half of the memory rate.
double expected_fixed_s(const ModelSize& size, double memory_bandwidth_Bps);

struct BatchTime {
  double batch = 0;
  double time_s = 0;
};

/// Natural units: errors are standard deviations of logarithms.
struct LineFit {
  double fixed_s = 0;
  double per_sample_s = 0;
  double fixed_error = 0;
  double per_sample_error = 0;
  double correlation = 0;
  double relative_error = 0;
  double time_s(double batch) const { return fixed_s + per_sample_s * batch; }
};

/// Scatter of measured times about a line: standard deviation of ln.
inline constexpr double affine_residual = ModelConstants{}.batch_line_scatter;

/// Line through the points. One batch: the fixed part is what is expected (sd of ln 0.3), at most 9/10 of the time. Two
/// and more: least squares in log time, soft-L1 so that one wrong point does not pull the line away (Gauss and Newton
/// with damping on ln fixed and ln per sample), and the expected fixed part counts as weakly as a factor e.
/// Deterministic; the order of points does not matter beyond rounding. Throws UserError without points, or when a batch
/// or time is not above 0.
LineFit fit_line(const std::vector<BatchTime>& points, double expected_s);

/// Root mean square of ln(predicted / measured) with each batch predicted from the others; 0 with fewer than three
/// batches.
double leave_one_batch_out(const std::vector<BatchTime>& points, double expected_s);

} // namespace ddlsim
