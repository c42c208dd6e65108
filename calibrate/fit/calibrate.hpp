#pragma once
// From the measurements of a cluster to its calibration.

#include "calibrate/data/reference_data.hpp"
#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/fit/compute_fit.hpp"
#include "calibrate/fit/next_measurement.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// The calibration, and the parts of it that a person reads about in words of their own.
struct Calibrated {
  Calibration calibration;
  CollectiveFits collectives;
  ComputeFit compute;
  std::vector<NextMeasurement> next{}; ///< the best three
};

/// Fits everything that `files`, records of any clusters, say of this one: its own, and those it borrows; the others
/// only tell contradictions. Priors that were once learnt from the cluster do not count twice. Throws UserError when
/// there is nothing to fit.
Calibrated calibrate(const ReferenceData& reference, const std::string& cluster,
                     const std::vector<MeasurementFile>& files);

/// What a person reads of it: fitted from what, how well, what was learnt and what not, what was set aside, what to
/// measure next.
std::string calibration_text(const Calibrated& calibrated);

} // namespace ddlsim
