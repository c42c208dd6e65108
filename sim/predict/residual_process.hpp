#pragma once
// The residual of a series is what no parameter explains. Residuals of neighbouring scales are correlated, so that a
// few measured scales give an estimate at others.

#include "sim/formats/library_version.hpp"
#include "sim/formats/model_constants.hpp"

#include <vector>

namespace ddlsim {

/// One scale of a series; of a table of all-reduces, one of its sizes.
struct Scale {
  int gpus = 1;
  int nodes = 1;
  double size_bytes = 0; ///< of an all-reduce by itself; 0 of an iteration
  double balance = 0;    ///< of an all-reduce: latency_bandwidth_mix()
  double batch = 0;      ///< of training, on a GPU; 0: it is the same wherever residuals are compared
};

/// Standard deviation of ln(measured / model) that a fit usually leaves of a series: such models leave 3 to 6 % of
/// published series unexplained. It is the same in all splits of a validation: it only
/// says from where on a fit has failed.
inline constexpr double usual_residual = 0.05;

/// Covariance of ln(measured / model) between two scales of one series: a Gaussian process of a persistent part and one
/// that fades,
///   spread at each x [ persistent_share + (1 - persistent_share) x per_doubling^|log2 of the ratio of GPUs| ]
///            x node_boundary_correlation where one scale is inside a node and the other is not
///            x per_doubling^|log2 of the ratio of sizes| of two all-reduces, of which nothing persists: small ones
///              take latency, large ones the wire
///            x per_doubling^|log2 of the ratio of batches| of two series of one stack and model
struct ResidualProcess {
  double spread = usual_residual; ///< standard deviation of ln
  double persistent_share = ModelConstants{}.residual_persistent_share;
  double per_doubling = ModelConstants{}.residual_per_doubling;
  double node_boundary_correlation = ModelConstants{}.residual_across_boundary;
  double growth = ModelConstants{}.residual_growth; ///< see spread_of_distance()
  double balanced_spread = 0; ///< of all-reduces: beyond `spread`, where latency_bandwidth_mix() is 1
};

/// The process with the usual spread; a caller that knows a better one sets it.
ResidualProcess residual_process_of(const ModelConstants& constants);

/// The same of all-reduces by themselves. Those of any library but NCCL are in host memory.
ResidualProcess all_reduce_process(const ModelConstants& constants, CollectiveLibrary library);

/// Standard deviation of ln(measured / model) at a scale without any measurement.
double spread_at(const ResidualProcess& process, const Scale& scale);

double covariance(const ResidualProcess& process, const Scale& a, const Scale& b);

/// A measured ln(measured / model), with its uncertainty.
struct KnownResidual {
  Scale scale;
  double value = 0;
  double noise = 0; ///< standard deviation of the measurement's own ln
};

struct ResidualEstimate {
  double mean = 0;
  double spread = 0; ///< standard deviation
};

/// The weight of each known residual at a scale, and the standard deviation that remains there.
struct ResidualWeights {
  std::vector<double> weights; ///< of the known ones, in their order
  double spread = 0;           ///< standard deviation
};

/// The weights of the mean below; `known[i].value` is not read.
ResidualWeights residual_weights(const ResidualProcess& process, const std::vector<KnownResidual>& known,
                                 const Scale& scale);

/// Mean and spread at `scale` given the known ones (kriging; C. Rasmussen and C. Williams, Gaussian Processes for
/// Machine Learning, 2006, equations 2.23 and 2.24). With none known: 0 and the process's spread.
ResidualEstimate estimate_residual(const ResidualProcess& process, const std::vector<KnownResidual>& known,
                                   const Scale& scale);

/// Standard deviation of ln that the distance from what was measured adds: a random walk in the logarithm of the scale,
/// growth x sqrt(log2(gpus / measured_gpus)); 0 up to what was measured.
double spread_of_distance(const ResidualProcess& process, int gpus, int measured_gpus);

} // namespace ddlsim
