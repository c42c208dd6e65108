#pragma once
// From the measurements of a cluster to its calibration.

#include "calibrate/step_fit.hpp"
#include "sim/files/calibration.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/files/measurement.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Fits everything that `files` say of the cluster; `others`, records of other clusters, only tell contradictions.
/// `priors` are those that may be used: priors_without() the cluster, so that what was once learnt from it does not
/// count twice. Throws UserError when there is nothing to fit.
Calibration calibrate(const Shelf& shelf, const std::string& cluster, const std::vector<MeasurementFile>& files,
                      const std::vector<MeasurementFile>& others);

/// What a person reads of it: fitted from what, how well, what was learnt and what not, what was set aside.
std::string calibration_text(const Calibration& calibration);

} // namespace ddlsim
