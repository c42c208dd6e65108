#pragma once
// From the measurements of a cluster to its calibration.

#include "calibrate/data/fit_data.hpp"
#include "calibrate/data/series.hpp"
#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/fit/compute_fit.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddlsim {

// Which measurement would narrow most what is predicted where nobody measured yet.

struct NextMeasurement {
  std::string run;       ///< what to measure
  std::string predicted; ///< series and scale whose interval it narrows
  double now = 0;        ///< half of that 90 % interval, of ln iteration time
  double then = 0;       ///< the same once it is measured
};

/// The `most` best, the most narrowing first, each run once and none that gains less than a hundredth. The predictions
/// to narrow: for each way of synchronising that the cluster measured over a transport, four times its largest scale or
/// as far as the cluster may grow. Candidates, on no more nodes than there are: the same run on twice the nodes or on
/// two; all-reduces alone between two nodes (small and large); the largest measured model with one server of its own;
/// one GPU where none was measured. How far a candidate narrows a prediction is a linear regression over samples drawn
/// from the calibration (width_left), with the residual process for what no parameter explains (estimate_residual).
std::vector<NextMeasurement> next_measurements(const std::vector<SeriesData>& series, const std::vector<Prior>& priors,
                                               const Calibration& calibration, std::size_t most);

/// The calibration, and its parts that the report describes one by one.
struct Calibrated {
  Calibration calibration;
  CollectiveFits collectives;
  ComputeFit compute;
  std::vector<NextMeasurement> next{}; ///< the best three
};

/// The fit of a cluster's steps and transfers, as its calibration has it, and the evidence behind it.
struct ClusterFit {
  SelectedFitData selected;
  Calibration calibration; ///< without collective curves, lines over batch and checksums of files
};

/// The fit of selected data of the cluster: slips of the unit are taken out, all series fitted, outliers marked.
ClusterFit fit_selected(const ReferenceData& reference, const std::string& cluster, SelectedFitData selected,
                        int threads = 1);

/// The fit behind calibrate(), which the validation asks for records that a split shows. `series` are those of `files`.
ClusterFit fit_cluster(const ReferenceData& reference, const std::string& cluster, const std::vector<Series>& series,
                       const std::vector<MeasurementFile>& files, int threads = 1);

/// What calibrate() throws where no record teaches anything, with what was excluded.
struct NothingToFit : UserError {
  using UserError::UserError;
  bool all_left_out = false; ///< there were times that the simulator can compute, and none may be fitted
};

/// Calibrates `cluster` on its own records and on those of the clusters it borrows from, out of `files` of any
/// clusters; the others only show contradictions. Priors that were once learnt from the cluster do not count twice.
/// Throws NothingToFit when there is nothing to fit.
Calibrated calibrate(const ReferenceData& reference, const std::string& cluster,
                     const std::vector<MeasurementFile>& files, int threads = 1);

/// The first screen, 29 lines of 80 columns at most: fitted to what and how well, what was learnt, what contradicts,
/// what to measure next.
std::string calibration_summary(const Calibrated& calibrated);

/// All the rest: every parameter, every series, lines over batch, collectives, everything excluded.
std::string calibration_details(const Calibrated& calibrated);

/// How far the fit is off a series: |ln(measured / model)|.
struct SeriesOff {
  double mean = 0;
  double worst = 0;
};
SeriesOff off_of(const CalibratedSeries& series);

// Calibrated parameters in words.

/// "nccl-ib, horovod, fp32"; "all" of a scope that names nothing.
std::string scope_text(const CalibrationScope& scope);

/// Three digits in the unit that a person reads: us, ms, GB/s; a bare number of unit "1".
std::string value_text(double value, const std::string& unit);

/// Standard deviations from the middle to an end of a 90 % interval of a normal distribution.
inline constexpr double upper_95 = 1.645;

} // namespace ddlsim
