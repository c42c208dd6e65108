#pragma once
// `ddlsim calibrate --priors`: computes the estimates of sites in platforms/priors.json from all records.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// The book of priors with new estimates of sites, and with the values that its rows then expect:
/// 1. Every cluster with measured records is fitted under the wide priors of a book without sites (priors_for()).
/// 2. A rate of servers that rises when its prior is raised is only a bound, and is removed (without_bounds()).
/// 3. The contribution of each parameter's prior is divided out; all clusters of one site together give one value.
PriorBook fit_priors(const ReferenceData& reference, const std::vector<MeasurementFile>& files, int threads = 1);

/// One line for each class of priors that sites have estimated: the expected value, the fitted one, and that of each
/// site.
std::string fitted_priors_text(const PriorBook& book);

} // namespace ddlsim
