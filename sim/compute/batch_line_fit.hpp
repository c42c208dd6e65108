#pragma once
// The line t(batch) = fixed + per sample x batch, fitted to measured iteration times of one GPU, and the shortest
// iteration that the host allows.

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
  ModelWork work{};      ///< of one sample
  bool attends = false;  ///< has attention layers
  double width = 0;      ///< numbers that represent a token between those layers' blocks; 0: not known
};
ModelSize size_of(const Model& model);

/// The part of an iteration that does not grow with the batch; seconds.
struct FixedTime {
  double gpu_s = 0;    ///< on the GPU: least time of each layer and pass, however small the batch, and the optimizer
  double host_s = 0;   ///< time of the host to launch all kernels, in parallel with the GPU: no iteration is shorter
  double update_s = 0; ///< part of gpu_s: the optimizer
};

/// Returns the seconds that a layer and pass takes on the GPU however small the batch: `layer_launch_s`, or on a fast
/// GPU `small_layer_work` over the root of its fp32 peak rate times its memory bandwidth, whichever is less. For a GPU
/// without these rates it is `layer_launch_s`.
double least_layer_s(const Gpu& gpu);

/// Returns the fixed part that is expected before any measurement. On the GPU: least_layer_s() for each layer and pass
/// (forward, data gradient, weight gradient), and the optimizer, which touches each parameter five times (gradient and
/// weight read, momentum read and written, weight written) at half of the memory rate. On the host: `host_launch_s` for
/// each layer and pass. A device without memory bandwidth is no GPU and does not wait for a host.
FixedTime expected_fixed(const ModelSize& size, const Gpu& gpu);

struct BatchTime {
  double batch = 0;
  double time_s = 0;
  bool host_paced = false; ///< the GPU waited for the host
  bool optimizer = true;   ///< the time includes the optimizer's update
};

/// A fitted line in seconds. The errors are standard deviations of logarithms.
struct LineFit {
  double fixed_s = 0;
  double per_sample_s = 0;
  double fixed_error = 0;
  double per_sample_error = 0;
  double correlation = 0;
  double relative_error = 0;
  double least_s = 0; ///< no batch takes less, because the host launches the kernels
  double time_s(double batch) const { return std::max(least_s, fixed_s + per_sample_s * batch); }
};

/// Scatter of measured times around a line: standard deviation of ln.
inline constexpr double affine_residual = ModelConstants{}.batch_line_scatter;

/// Fits a line to the points. With one batch the fixed part is the expected one (sd of ln 0.3), at most 9/10 of the
/// time. With two or more it is least squares in log time, soft-L1 so that one wrong point does not pull the line away
/// (Gauss-Newton with damping on ln fixed and ln per sample); the expected fixed part has the weight of a measurement
/// within a factor e. The line uses the points at which the GPU set the pace, if there are any; least_s is the median
/// of the others, or else the expected time of the host, at most the shortest time. If the host set the pace at all
/// points, the fixed part is 9/10 of the shortest time. For times without the optimizer, the expected fixed part has no
/// optimizer. The fit is deterministic; the order of points does not matter beyond rounding. Throws UserError without
/// points, or when a batch or time is not above 0.
LineFit fit_line(const std::vector<BatchTime>& points, FixedTime expected);

/// Returns the root mean square of ln(predicted / measured), with each batch predicted from the others; 0 with fewer
/// than three batches.
double leave_one_batch_out(const std::vector<BatchTime>& points, FixedTime expected);

} // namespace ddlsim
