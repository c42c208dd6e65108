#pragma once
// `ddlsim calibrate --priors`: what sites say in platforms/priors.json, from all records.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// The book with what its rows expect, and with what sites say anew:
/// 1. Every cluster with measured records is fitted under priors_for() a book without sites, which are wide.
/// 2. A rate of servers that follows a prior that is raised is a bound, and taken out (without_bounds()).
/// 3. What each parameter's prior added is divided out; clusters of one site are one value.
PriorBook fit_priors(const ReferenceData& reference, const std::vector<MeasurementFile>& files, int threads = 1);

/// One line for each class with evidence of sites: the expected value, the fitted one, and that of each site.
std::string fitted_priors_text(const PriorBook& book);

} // namespace ddlsim
