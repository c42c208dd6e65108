#pragma once
// The residual of a series is the part of ln(measured / model) that no parameter explains. Residuals of neighbouring
// scales are correlated, so a few measured scales give an estimate at others.

#include "sim/formats/model_constants.hpp"
#include "sim/library/library_rules.hpp"

#include <vector>

namespace ddlsim {

/// A scale of a series, or a size in a table of all-reduces.
struct Scale {
  int gpus = 1;
  int nodes = 1;
  double size_bytes = 0; ///< bytes of a stand-alone all-reduce; 0 for an iteration
  double balance = 0;    ///< latency_bandwidth_mix() of an all-reduce
  double batch = 0;      ///< samples of a GPU in training; 0: equal in all residuals that are compared
};

/// Standard deviation of ln(measured / model) that a fit usually leaves in a series: such models leave 3 to 6 % of
/// published series unexplained. It only marks where a fit has failed, so it is the same in all splits of a validation.
inline constexpr double usual_residual = 0.05;

/// Covariance of ln(measured / model) between two scales of one series: a Gaussian process that is the sum of a
/// persistent part and a part that fades with distance,
///   spread at each x [ persistent_share + (1 - persistent_share) x per_doubling^|log2 of the ratio of GPUs| ]
///            x node_boundary_correlation if one scale is inside a node and the other is not
///            x per_doubling^|log2 of the ratio of sizes| for two all-reduces, without a persistent part: latency
///              dominates small ones, and the wire large ones
///            x per_doubling^|log2 of the ratio of batches| for two series of one stack and model
struct ResidualProcess {
  double spread = usual_residual; ///< standard deviation of ln time
  double persistent_share = ModelConstants{}.residual_persistent_share;
  double per_doubling = ModelConstants{}.residual_per_doubling;
  double node_boundary_correlation = ModelConstants{}.residual_across_boundary;
  /// growth with the distance from measured scales, see spread_of_distance()
  double growth = ModelConstants{}.residual_growth;
  double balanced_spread = 0; ///< spread that is added for all-reduces where latency_bandwidth_mix() is 1
};

/// Returns the process with the usual spread; a caller that knows a better spread sets it.
ResidualProcess residual_process_of(const ModelConstants& constants);

/// The process for stand-alone all-reduces of a job with those rules. Those of all libraries except NCCL run in host
/// memory. Where the GPUs have a timing of their own (sim/library/node_timing.hpp), the residuals of its tables stand.
ResidualProcess all_reduce_process(const ModelConstants& constants, const LibraryRules& rules);

/// Standard deviation of ln(measured / model) at a scale when no scale was measured.
double spread_at(const ResidualProcess& process, const Scale& scale);

double covariance(const ResidualProcess& process, const Scale& a, const Scale& b);

/// A measured ln(measured / model), with its uncertainty.
struct KnownResidual {
  Scale scale;
  double value = 0;
  double noise = 0; ///< standard deviation of ln of the measurement itself
};

struct ResidualEstimate {
  double mean = 0;
  double spread = 0; ///< standard deviation of ln time
};

/// Weights of the known residuals in the estimate at a scale, and the remaining standard deviation.
struct ResidualWeights {
  std::vector<double> weights; ///< one for each known residual, in their order
  double spread = 0;           ///< remaining standard deviation of ln
};

/// Returns the weights that estimate_residual() uses for its mean; `known[i].value` is not read.
ResidualWeights residual_weights(const ResidualProcess& process, const std::vector<KnownResidual>& known,
                                 const Scale& scale);

/// Returns mean and spread at `scale`, given the known residuals (kriging; C. Rasmussen and C. Williams, Gaussian
/// Processes for Machine Learning, 2006, equations 2.23 and 2.24). Without known residuals the mean is 0 and the spread
/// that of the process.
ResidualEstimate estimate_residual(const ResidualProcess& process, const std::vector<KnownResidual>& known,
                                   const Scale& scale);

/// Standard deviation of ln that distance from the largest measured scale adds. It is a random walk in the logarithm of
/// the scale, growth x sqrt(log2(gpus / measured_gpus)), and 0 up to that scale.
double spread_of_distance(const ResidualProcess& process, int gpus, int measured_gpus);

} // namespace ddlsim
