#pragma once
// From the measurements of a cluster to its calibration.

#include "calibrate/data/fit_data.hpp"
#include "calibrate/data/reference_data.hpp"
#include "calibrate/data/series.hpp"
#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/fit/compute_fit.hpp"
#include "calibrate/fit/next_measurement.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddlsim {

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
ClusterFit fit_selected(const ReferenceData& reference, const std::string& cluster, SelectedFitData selected);

/// The fit behind calibrate(), which the validation asks for records that a split shows. `series` are those of `files`.
ClusterFit fit_cluster(const ReferenceData& reference, const std::string& cluster, const std::vector<Series>& series,
                       const std::vector<MeasurementFile>& files);

/// Calibrates `cluster` on its own records and on those of the clusters it borrows from, out of `files` of any
/// clusters; the others only show contradictions. Priors that were once learnt from the cluster do not count twice.
/// Throws UserError when there is nothing to fit.
Calibrated calibrate(const ReferenceData& reference, const std::string& cluster,
                     const std::vector<MeasurementFile>& files);

/// The report: fitted to which records, how well, which parameters were learnt and which not, what was excluded, what
/// to measure next.
std::string calibration_text(const Calibrated& calibrated);

} // namespace ddlsim
