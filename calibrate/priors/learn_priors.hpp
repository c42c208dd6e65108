#pragma once
// `ddlsim calibrate --priors`: platforms/priors.json from all records.

#include "calibrate/priors/site_evidence.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// A judged prior and what sites made of it.
struct LearntClass {
  Prior judged;
  Prior learnt;
  std::vector<SiteValue> sites;
};

struct LearntPriors {
  std::vector<Prior> priors; ///< learnt ones first, then the judged ones that they stand on
  std::vector<LearntClass> classes;
};

/// The judged ones of priors.json: those that no site taught.
std::vector<Prior> judged_priors(const std::vector<Prior>& priors);

/// 1. Every cluster with measured records is fitted under the judged priors.
/// 2. What each parameter's prior added is divided out; clusters of one site are pooled.
/// 3. For each class of prior that a site informs: the prior learnt from all sites, and for each site the one learnt
///    without it, which holds where the site itself is under test (`shaped_by`).
LearntPriors learn_priors(const ReferenceData& reference, const std::vector<MeasurementFile>& files, int threads = 1);

/// One line a class: judged, learnt, and what each site says.
std::string learnt_priors_text(const LearntPriors& learnt);

} // namespace ddlsim
