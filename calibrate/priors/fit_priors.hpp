#pragma once
// Computes the estimates of sites in platforms/priors.json from all records, for `ddlsim calibrate --priors`.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Returns the priors with new estimates of sites, and with the values that their rows then expect:
/// 1. Every cluster with measured records is fitted under the wide priors of a book without sites (priors_for()).
/// 2. A rate of servers that rises when its prior is raised is only a bound, and is removed (without_bounds()).
/// 3. The contribution of each parameter's prior is divided out. All clusters of one site together give one value.
PriorBook fit_priors(const ReferenceData& reference, const std::vector<MeasurementFile>& files, int threads = 1);

/// Returns one line for each class of priors that sites have estimated: the expected value, the fitted one, and that of
/// each site.
std::string fitted_priors_text(const PriorBook& book);

} // namespace ddlsim
