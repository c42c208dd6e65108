#pragma once
// Curves of time over size from measured collectives and messages: what was fitted from what, and how well.

#include "calibrate/data/collective_data.hpp"
#include "sim/formats/collective_curve.hpp"
#include "sim/formats/record.hpp"

#include <vector>

namespace ddlsim {

struct CollectiveFitOptions {
  double link_rate_Bps = 0;  ///< what one node sends over the wire; 0: not known, the rate's prior is then wide
  bool leave_one_out = true; ///< fit again without each size, to say how well it is predicted
};

/// One curve and what a person should know of it.
struct CollectiveFit {
  CollectiveCurve curve;
  std::vector<TransferSample> samples;    ///< what it was fitted to, ascending by size
  std::vector<Excluded> excluded;         ///< evidence of this curve not used, or contradictory
  std::vector<double> measure_next_bytes; ///< sizes whose measurement would narrow it most, the best first
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

/// Sizes (powers of two, 1 KiB to 256 MiB) to measure, the most doubtful first, each chosen as if those before it were
/// known; none once the whole range is known to 5 %.
std::vector<double> sizes_to_measure(const CollectiveCurve& curve);

} // namespace ddlsim
