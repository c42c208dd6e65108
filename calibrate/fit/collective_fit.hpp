#pragma once
// Curves of time over size for measured collectives and messages, with the samples to which they were fitted, and their
// errors.

#include "calibrate/data/collective_data.hpp"
#include "sim/formats/collective_curve.hpp"
#include "sim/formats/record.hpp"

#include <array>
#include <string>
#include <vector>

namespace ddlsim {

// Fits the three constants of a collective's law to measured times. The fit is robust and has priors.

/// The prior of the three constants. Arrays of three numbers hold latency a, rate B and pipelining overlap, in this
/// order.
struct AlphaBetaPrior {
  std::array<double, 3> median{}; ///< medians of the three constants, in s, B/s and 1
  std::array<double, 3> width{};  ///< standard deviations of the logarithms
};

struct AlphaBetaFit {
  std::array<double, 3> value{};       ///< values of the three constants, in s, B/s and 1
  std::array<double, 3> error{};       ///< standard deviations of the logarithms
  std::array<double, 3> correlation{}; ///< correlations of the logarithms: (a, B), (a, overlap), (B, overlap)
  double scale = 0;                    ///< scale of the Student-t residuals in ln time
  double spread = 0;                   ///< root mean square of ln(measured / law); 0 without samples
};

/// Returns the most probable constants for Student-t residuals (4 degrees of freedom) in ln time, whose scale is fitted
/// too. Levenberg-Marquardt searches from `start`, or from several places if it is null. Errors come from the curvature
/// at the maximum. They are widened for the number of fitted constants, and for correlated residuals of neighbouring
/// sizes, where the law has the wrong shape. Without samples the prior is returned. Samples ascend by size.
AlphaBetaFit fit_alpha_beta(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior,
                            const AlphaBetaFit* start = nullptr);

/// Assumed standard deviation of ln of one time in a table that states no spread. It is the mean difference between two
/// runs of one published NCCL table (in place and out of place).
inline constexpr double usual_table_noise = 0.014;

struct CollectiveFitOptions {
  double link_rate_Bps = 0;  ///< rate of the wire out of one node; 0: not known, and the prior of the rate is then wide
  bool leave_one_out = true; ///< whether to fit again without each size in turn, to measure how well it is predicted
};

/// A curve, with notes for the user.
struct CollectiveFit {
  CollectiveCurve curve;
  std::vector<TransferSample> samples; ///< the samples that were fitted, ascending by size
  std::vector<Excluded> excluded;      ///< records of this curve that are not used, or contradict others
};

struct CollectiveFits {
  std::vector<CollectiveFit> fits; ///< curves, ascending by key
  std::vector<Excluded> excluded;  ///< records that belong to no curve
};

/// Fits a curve for every cluster, series, transport, library, operation, algorithm, number of ranks and number of
/// nodes in the collective and point_to_point records. Programs (series) are never pooled, because two programs on one
/// machine differ by tens of per cent.
CollectiveFits fit_collectives(const std::vector<MeasurementFile>& files, const CollectiveFitOptions& options = {});

/// Fits the curve through samples of one key, ascending by size. Without samples it is that of the prior.
CollectiveCurve fit_curve(const CollectiveKey& key, const std::vector<TransferSample>& samples,
                          const CollectiveFitOptions& options = {});

/// Returns median and width of a, B and overlap by the transport, the library and the number of ranks and nodes. The
/// latency is a launch and the hops of a ring (2(n-1), of which ceil(2(n-1)N/n) cross the network) or, for MPI, the
/// log2 n steps of recursive doubling. The rate is that of the path over 2(n-1)/n. `link_rate_Bps` is the rate of the
/// wire out of one node; 0 where it is not known.
AlphaBetaPrior collective_prior(const CollectiveKey& key, double link_rate_Bps);

/// Whether the library starts its ranks' work as kernels on GPUs.
bool is_gpu_library(const CollectiveKey& key);

// Measures how far a fitted curve of time over size can be trusted.

/// Returns the pairs of neighbouring sizes between which the time departs from the law by 15 % or more. In a table that
/// wanders much, the threshold is four times its usual departure between neighbours, but at most twice that (ln 1.15 x
/// 2).
std::vector<CurveJump> find_jumps(const CollectiveCurve& curve);

/// Stores in the curve the mean and the worst of the errors, and the wander that they show. `errors` has ln(predicted /
/// measured) for each point of the curve, predicted from the other points. Empty: not known.
void put_leave_one_out_errors(const std::vector<double>& errors, CollectiveCurve& curve);

/// Returns a table with one line for each curve: sizes, mean and worst leave-one-out error, jumps. The records that
/// belong to no curve follow.
std::string collectives_table(const CollectiveFits& fits);

/// Returns the size as text: "4 B", "256 KiB" or "8 MiB" where that is exact, else as in "12.39 MB".
std::string size_text(double size_bytes);

} // namespace ddlsim
