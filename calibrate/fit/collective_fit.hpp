#pragma once
// Curves of time over size from measured collectives and messages, with the samples they were fitted to and their
// errors.

#include "calibrate/data/collective_data.hpp"
#include "sim/formats/collective_curve.hpp"
#include "sim/formats/record.hpp"

#include <array>
#include <string>
#include <vector>

namespace ddlsim {

// Fits the three constants of a collective's law to measured times, robustly and under priors.

/// Arrays of three numbers hold latency a, rate B and pipelining overlap, in this order.
struct AlphaBetaPrior {
  std::array<double, 3> median{}; ///< s, B/s, 1
  std::array<double, 3> width{};  ///< standard deviation of the logarithm
};

struct AlphaBetaFit {
  std::array<double, 3> value{};       ///< s, B/s, 1
  std::array<double, 3> error{};       ///< standard deviation of the logarithm
  std::array<double, 3> correlation{}; ///< of the logarithms: (a, B), (a, overlap), (B, overlap)
  double scale = 0;                    ///< of the Student-t residuals in ln time
  double spread = 0;                   ///< root mean square of ln(measured / law); 0 without samples
};

/// Maximum a posteriori for Student-t residuals (4 degrees of freedom) in ln time, whose scale is fitted too.
/// Levenberg-Marquardt searches from `start`, or from several places if it is null. Errors come from the curvature at
/// the maximum; they are widened for correlated residuals of neighbouring sizes (the law's shape is wrong there) and
/// for the number of fitted constants. Without samples the prior is returned. Samples ascend by size.
AlphaBetaFit fit_alpha_beta(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior,
                            const AlphaBetaFit* start = nullptr);

/// Assumed standard deviation of the logarithm of one time if a table states no spread: the mean difference between two
/// runs of one published NCCL table (in place, out of place).
inline constexpr double usual_table_noise = 0.014;

struct CollectiveFitOptions {
  double link_rate_Bps = 0;  ///< of the wire out of one node; 0: not known, the prior of the rate is then wide
  bool leave_one_out = true; ///< refit without each size in turn, to measure how well it is predicted
};

/// One curve, with notes for the user.
struct CollectiveFit {
  CollectiveCurve curve;
  std::vector<TransferSample> samples; ///< the fitted samples, ascending by size
  std::vector<Excluded> excluded;      ///< records of this curve that are not used, or contradictory
};

struct CollectiveFits {
  std::vector<CollectiveFit> fits; ///< ascending by key
  std::vector<Excluded> excluded;  ///< records that belong to no curve
};

/// Fits a curve for every cluster, series, transport, library, operation, algorithm, number of ranks and of nodes in
/// the collective and point_to_point records. Programs (series) are never pooled: two programs on one machine differ by
/// tens of per cent.
CollectiveFits fit_collectives(const std::vector<MeasurementFile>& files, const CollectiveFitOptions& options = {});

/// Fits the curve through samples of one key, ascending by size. Without samples it is the prior's.
CollectiveCurve fit_curve(const CollectiveKey& key, const std::vector<TransferSample>& samples,
                          const CollectiveFitOptions& options = {});

/// Median and width of a, B and overlap from the transport, the library and how many ranks and nodes take part. The
/// latency is a launch and the hops of a ring (2(n-1) of which ceil(2(n-1)N/n) cross the network) or, for MPI, the
/// log2 n steps of recursive doubling; the rate is the path's over 2(n-1)/n. `link_rate_Bps`: what one node sends over
/// the wire, 0 where it is not known.
AlphaBetaPrior collective_prior(const CollectiveKey& key, double link_rate_Bps);

/// True of libraries that start their ranks' work as kernels on GPUs.
bool is_gpu_library(const CollectiveKey& key);

// How far a fitted curve of time over size can be trusted.

/// Pairs of neighbouring sizes between which the time departs from the law by 15 % or more. In a table with much wander
/// the threshold is four times its usual departure between neighbours, but at most twice that (ln 1.15 x 2).
std::vector<CurveJump> find_jumps(const CollectiveCurve& curve);

/// Stores in the curve the mean and the worst of the errors, and the wander that they show. There is one error for each
/// point of the curve: ln(predicted / measured), predicted from the other points. Empty: not known.
void put_leave_one_out_errors(const std::vector<double>& errors, CollectiveCurve& curve);

/// A table with one line for each curve: sizes, mean and worst leave-one-out error, jumps; then the records that belong
/// to no curve.
std::string collectives_table(const CollectiveFits& fits);

/// The size as text: "4 B", "256 KiB", "8 MiB" if that is exact, else "12.39 MB".
std::string size_text(double size_bytes);

} // namespace ddlsim
