#pragma once
// Curves of time over size from measured collectives and messages: what was fitted from what, and how well.

#include "calibrate/data/collective_data.hpp"
#include "sim/formats/collective_curve.hpp"
#include "sim/formats/record.hpp"

#include <array>
#include <string>
#include <vector>

namespace ddlsim {

// The three constants of a collective's law from measured times, robustly, under priors.

/// Latency a, rate B and pipelining overlap, in this order wherever three numbers stand.
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

/// Maximum a posteriori of Student-t residuals (4 degrees of freedom) in ln time, with their scale, by
/// Levenberg-Marquardt from `start` and, when it is null, from several places. Errors are those of the curvature there,
/// widened where neighbouring residuals go together (a law that bends otherwise) and for the constants fitted. Without
/// samples the prior comes back. Samples ascend by size.
AlphaBetaFit fit_alpha_beta(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior,
                            const AlphaBetaFit* start = nullptr);

/// Standard deviation of ln of one time of a table that says no spread: two runs of one published NCCL table (in place,
/// out of place) differ by so much in the mean.
inline constexpr double usual_table_noise = 0.014;

struct CollectiveFitOptions {
  double link_rate_Bps = 0;  ///< what one node sends over the wire; 0: not known, the rate's prior is then wide
  bool leave_one_out = true; ///< fit again without each size, to say how well it is predicted
};

/// One curve, with notes for the user.
struct CollectiveFit {
  CollectiveCurve curve;
  std::vector<TransferSample> samples; ///< what it was fitted to, ascending by size
  std::vector<Excluded> excluded;      ///< evidence of this curve not used, or contradictory
};

struct CollectiveFits {
  std::vector<CollectiveFit> fits; ///< ascending by key
  std::vector<Excluded> excluded;  ///< records that reach no curve
};

/// A curve for every cluster, series, transport, library, operation, algorithm, ranks and nodes of the collective and
/// point_to_point records. Programs (series) are never pooled: two programs on one machine differ by tens of per cent.
CollectiveFits fit_collectives(const std::vector<MeasurementFile>& files, const CollectiveFitOptions& options = {});

/// The curve through samples of one key, ascending by size. No samples: the prior alone.
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

/// Neighbouring sizes between which the time leaves the law by 15 % or more; where the table wanders much, by four
/// times what is usual between its neighbours, but never more than twice that (ln 1.15 x 2).
std::vector<CurveJump> find_jumps(const CollectiveCurve& curve);

/// Mean and worst of the errors, one a point of the curve (ln(predicted / measured), each from the others; none: not
/// known), and the wander they show.
void put_leave_one_out_errors(const std::vector<double>& errors, CollectiveCurve& curve);

/// All curves, a line each: sizes, mean and worst leave-one-out error, jumps; then what reached no curve.
std::string collectives_table(const CollectiveFits& fits);

/// "4 B", "256 KiB", "8 MiB" where that is exact, else "12.39 MB".
std::string size_text(double size_bytes);

} // namespace ddlsim
