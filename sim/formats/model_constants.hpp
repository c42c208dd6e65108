#pragma once
// The constants of the model that were chosen in sight of measurements, in one table: what each is, what one would take
// without those measurements, and whose measurements they were. Figures of data sheets, of kernel tables and of other
// people's source code stay beside the formulas that have them, and so do limits of work and of rounding.

#include <string>
#include <vector>

namespace ddlsim {

struct ModelConstants {
  /// How the residuals of one series are correlated (sim/predict/residual_process.hpp).
  double residual_persistent_share = 0.6; ///< of the variance, does not fade with scale
  double residual_per_doubling = 0.7;     ///< correlation of the rest from a scale to its double, and from a batch
  double residual_across_boundary = 0.5;  ///< correlation between scales inside a node and across nodes
  double residual_growth = 0.02;          ///< standard deviation of ln that a doubling beyond what was measured adds
  double residual_floor_across_nodes = 1; ///< 0: residuals inside a node may narrow those across nodes below the prior
  double residual_of_other_batches = 1;   ///< 0: residuals of a stack's other batches say nothing
  /// The straight line beside the simulator (sim/predict/straight_line.cpp).
  double line_share = 0.5; ///< of the line just beyond what was measured, in ln of the time
  double line_fade = 1.5;  ///< in ln of the scale
  /// How noisy a measurement is before the fit judges it, as standard deviations of ln.
  double fit_spread = 0.03;      ///< of a series about the fitted model
  double unstated_noise = 0.015; ///< of a published rate without a stated spread
  double suspect_noise = 0.06;   ///< of a record that its source or importer doubts
  double transfer_noise = 0.12;  ///< of a transfer's time about a latency and a rate
  double sum_bend_noise = 0.3;   ///< beyond that, of an all-reduce by NCCL whose latency and rate take as long
  double host_sum_noise = 0.25;  ///< in place of both, of an all-reduce in host memory
  /// Exponent of the likelihood with which measurements choose between a library's algorithms.
  double algorithm_likelihood_share = 0.25;
  /// Of one-GPU times. Repeats whose ln differ by more are other experiments.
  double repeat_difference = 0.06;
  /// The rest was chosen on what no validation asks for, `single-gpu` and, where they name it, `h100-1x1-vm`: no split
  /// takes them away, and they are read where they act.
  double batch_line_scatter = 0.03; ///< standard deviation of ln of measured times about a line over batch
  double batch_line_reach = 1.5;    ///< a line holds to this much beyond its largest batch
  double one_batch_width = 0.3;     ///< standard deviation of ln of the part that does not grow with the batch
  double layer_launch_s = 60e-6;    ///< a layer and pass, until its kernels run; however small the batch
  double small_layer_work = 1.6e8;  ///< on fast GPUs in place of that, at the GPU's rate; root of FLOP x byte
  double host_launch_s = 40e-6;     ///< a layer and pass, for the host to launch its kernels
  double tensor_part_touches = 30;  ///< bytes that a rank of a tensor group moves beyond its part, a byte of outputs
  double roofline_share = 0.8;      ///< of the sum of a network's layer times is its iteration
};

/// What the other clusters say of a constant where those of one site are taken away.
struct ConstantWithout {
  std::vector<std::string> clusters;
  double value;
};

/// One row of the table.
struct ModelConstant {
  const char* name;
  double ModelConstants::*value;
  double before;                      ///< what one would take without the measurements of `shaped_by`
  std::vector<std::string> shaped_by; ///< clusters
  const char* source;
  std::vector<ConstantWithout> without{}; ///< by site; `before` where a site is not among them
};

/// All of ModelConstants' members.
const std::vector<ModelConstant>& model_constants();

/// Whether one of the clusters is among the shapers of a prior or a constant.
bool is_shaped_by(const std::vector<std::string>& shapers, const std::vector<std::string>& clusters);

/// The constants, with what remains without these clusters for those that one of them shaped.
ModelConstants constants_without(const std::vector<ModelConstant>& table, const std::vector<std::string>& clusters);

} // namespace ddlsim
