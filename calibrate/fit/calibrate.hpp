#pragma once
// Calibrates a cluster from its measurements.

#include "calibrate/data/fit_data.hpp"
#include "calibrate/data/series.hpp"
#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/fit/compute_fit.hpp"
#include "calibrate/fit/next_measurement.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// The calibration, and the parts of it that the report shows.
struct Calibrated {
  Calibration calibration;
  CollectiveFits collectives;
  ComputeFit compute;
  std::vector<NextMeasurement> next{}; ///< the three best measurements
};

/// The fit of a cluster's steps and transfers, and the records behind it.
struct ClusterFit {
  SelectedFitData selected;
  Calibration calibration; ///< the calibration without curves of collectives, lines over batch and checksums of files
};

/// Fits the selected data of the cluster: removes times in a wrong unit, fits all series, marks outliers.
ClusterFit fit_selected(const ReferenceData& reference, const std::string& cluster, SelectedFitData selected,
                        int threads = 1);

/// Fits the cluster as calibrate() does. The validation calls it with the records that a split shows. `series` are
/// those of `files`.
ClusterFit fit_cluster(const ReferenceData& reference, const std::string& cluster, const std::vector<Series>& series,
                       const std::vector<MeasurementFile>& files, int threads = 1);

/// The error that calibrate() throws if no record can be fitted; it lists the excluded records.
struct NothingToFit : UserError {
  using UserError::UserError;
  bool all_left_out = false; ///< whether some times could be simulated, but all of them are excluded
};

/// Calibrates `cluster` on its own records and on those of the clusters from which it borrows. `files` may be of any
/// clusters; the others only show contradictions. Priors that were fitted to the cluster do not count twice. Throws
/// NothingToFit when there is nothing to fit.
Calibrated calibrate(const ReferenceData& reference, const std::string& cluster,
                     const std::vector<MeasurementFile>& files, int threads = 1);

/// Returns the first screen, at most 29 lines of 80 columns: the evidence and its fit, the identified parameters,
/// contradictions, what to measure next.
std::string calibration_summary(const Calibrated& calibrated);

/// Returns the rest of the report: every parameter, every series, lines over batch, collectives, and everything
/// excluded.
std::string calibration_details(const Calibrated& calibrated);

/// The error of the fit for a series: |ln(measured / model)|.
struct SeriesError {
  double mean = 0;
  double worst = 0;
};
SeriesError error_of_series(const CalibratedSeries& series);

// Writes calibrated parameters as text.

/// Returns the scope as text, such as "nccl-ib, horovod, fp32"; "all" if it names nothing.
std::string scope_text(const CalibrationScope& scope);

/// Returns the value with three digits in a readable unit (us, ms, GB/s), or as a bare number for unit "1".
std::string value_text(double value, const std::string& unit);

/// Number of standard deviations from the mean of a normal distribution to either end of its 90 % interval.
inline constexpr double upper_95 = 1.645;

} // namespace ddlsim
