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
  KernelWork work{};     ///< of one sample
  bool attends = false;  ///< has attention layers
  double width = 0;      ///< numbers that represent a token between those layers' blocks; 0: not known
};
ModelSize size_of(const Model& model);

/// The part of an iteration that does not grow with the batch, seconds.
struct FixedTime {
  double gpu_s = 0; ///< GPU's part: the least time of each layer and pass, however small the batch, and the optimizer
  /// host's time to launch all kernels; the GPU works in parallel, but no iteration is shorter than this
  double host_s = 0;
  double update_s = 0; ///< time of the optimizer, a part of gpu_s
};

/// Returns the seconds that a layer and pass takes on the GPU however small the batch is: the smaller of
/// `layer_launch_s` and `small_layer_work` / sqrt(fp32 peak rate x memory bandwidth). A GPU without these rates takes
/// `layer_launch_s`.
double least_layer_s(const Gpu& gpu);

/// Returns the fixed part that is expected before any measurement. The GPU takes least_layer_s() for each layer and
/// pass (forward, data gradient, weight gradient). Its optimizer accesses each parameter five times at half of the
/// memory rate: it reads gradient and weight, reads and writes the momentum, and writes the weight. The host takes
/// `host_launch_s` for each layer and pass. A device without memory bandwidth is no GPU and does not wait for a host.
FixedTime expected_fixed(const ModelSize& size, const Gpu& gpu);

/// The fixed part that is expected for a model without layer table, as if it had a hundred layers. It has little weight
/// in a fit.
inline constexpr FixedTime usual_fixed{0.02, 0};

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
  double least_s = 0; ///< shortest time of any batch, because the host launches the kernels
  double time_s(double batch) const { return std::max(least_s, fixed_s + per_sample_s * batch); }
};

/// Scatter of measured times around a line, standard deviation of ln.
inline constexpr double affine_residual = ModelConstants{}.batch_line_scatter;

/// Fits a line to the points, in any order; the same points always give the same line.
/// With one batch the fixed part is the expected one (standard deviation of ln 0.3), at most 9/10 of the time. With
/// more, the fit is least squares in log time with a soft-L1 loss, so that one wrong point does not pull the line away
/// (damped Gauss-Newton on ln fixed and ln per sample). The expected fixed part then has the weight of a measurement
/// that is known within a factor e.
/// The line uses the points at which the GPU set the pace. `least_s` is the median time of the others; without others
/// it is the host's expected time, at most the shortest measured time. If the host set the pace at all points, the
/// fixed part is 9/10 of the shortest time. For times without the optimizer, the expected fixed part has no optimizer.
/// Throws UserError without points, or when a batch or time is not above 0.
LineFit fit_line(const std::vector<BatchTime>& points, FixedTime expected);

/// Returns the root mean square of ln(predicted / measured), where each batch is predicted from the others; 0 with
/// fewer than three batches.
double leave_one_batch_out(const std::vector<BatchTime>& points, FixedTime expected);

} // namespace ddlsim
