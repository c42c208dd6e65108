#pragma once
// Curves of time over size from measured collectives and messages: what was fitted from what, and how well.

#include "calibrate/data/collective_data.hpp"
#include "calibrate/fit/alpha_beta_fit.hpp"
#include "sim/formats/collective_curve.hpp"
#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddlsim {

struct CollectiveFitOptions {
  double link_rate_Bps = 0;  ///< what one node sends over the wire; 0: not known, the rate's prior is then wide
  bool leave_one_out = true; ///< fit again without each size, to say how well it is predicted
};

/// One curve and what a person should know of it.
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
