#pragma once
// The line t(batch) = fixed + per sample x batch behind some measured iteration times of one GPU, and the host's pace,
// below which no iteration is.

#include "sim/compute/layer_times.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/model_constants.hpp"

#include <algorithm>
#include <vector>

namespace ddlsim {

/// Properties of a model that decide how long an iteration takes.
struct ModelSize {
  double layers = 0;
  double size_bytes = 0; ///< parameters in fp32
  ModelWork work{};      ///< of a sample
  bool attends = false;  ///< has layers of attention
  double width = 0;      ///< of those: numbers that stand for a token between blocks; 0: not known
};
ModelSize size_of(const Model& model);

/// What of an iteration does not grow with the batch; seconds.
struct FixedTime {
  double gpu_s = 0;    ///< on the GPU: a layer and pass takes some time however small the batch, and the optimizer
  double host_s = 0;   ///< what the host takes to launch all kernels, beside the GPU: no iteration is shorter
  double update_s = 0; ///< of gpu_s, the optimizer's
};

/// Seconds that a layer and pass takes on the GPU however small the batch: `layer_launch_s`, or on a fast GPU
/// `small_layer_work` over the root of its peak rate in fp32 times its memory bandwidth, whichever is less. A GPU
/// without these rates has `layer_launch_s`.
double least_layer_s(const Gpu& gpu);

/// What is expected before any measurement. On the GPU: least_layer_s() a layer and pass (forward, data gradient, weight
/// gradient), and the optimizer, which touches each parameter five times (gradient and weight read, momentum read and
/// written, weight written) at half of the memory rate. On the host: `host_launch_s` a layer and pass. A device without
/// memory bandwidth is no GPU and waits for no host.
FixedTime expected_fixed(const ModelSize& size, const Gpu& gpu);

struct BatchTime {
  double batch = 0;
  double time_s = 0;
  bool host_paced = false; ///< the GPU waited for the host
  bool optimizer = true;   ///< the time has the optimizer's update in it
};

/// Natural units: errors are standard deviations of logarithms.
struct LineFit {
  double fixed_s = 0;
  double per_sample_s = 0;
  double fixed_error = 0;
  double per_sample_error = 0;
  double correlation = 0;
  double relative_error = 0;
  double least_s = 0; ///< the host's pace: no batch takes less
  double time_s(double batch) const { return std::max(least_s, fixed_s + per_sample_s * batch); }
};

/// Scatter of measured times about a line: standard deviation of ln.
inline constexpr double affine_residual = ModelConstants{}.batch_line_scatter;

/// Line through the points. One batch: the fixed part is what is expected (sd of ln 0.3), at most 9/10 of the time. Two
/// and more: least squares in log time, soft-L1 so that one wrong point does not pull the line away (Gauss and Newton
/// with damping on ln fixed and ln per sample), and the expected fixed part counts as weakly as a factor e. The line is
/// of points that the GPU paced, where there are some; least_s is the median of the others, or what is expected of the
/// host, at most the shortest time. Where the host paced all, 9/10 of the shortest is taken for fixed. Of times without
/// the optimizer nothing is expected for it.
/// Deterministic; the order of points does not matter beyond rounding. Throws UserError without points, or when a batch
/// or time is not above 0.
LineFit fit_line(const std::vector<BatchTime>& points, FixedTime expected);

/// Root mean square of ln(predicted / measured) with each batch predicted from the others; 0 with fewer than three
/// batches.
double leave_one_batch_out(const std::vector<BatchTime>& points, FixedTime expected);

} // namespace ddlsim
