#pragma once
// What the calibrations of sites say about each parameter once the contribution of its prior is divided out.

#include "sim/base/two_level_prior.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/prior_book.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// Which runs a calibration was fitted to: all of them, or those on synthetic data.
enum class EvidenceRuns { all, synthetic };

/// For each site and class of priors, an estimate of ln x by each of the site's clusters.
using SiteEvidence = std::map<std::string, std::map<PriorClass, std::vector<SiteEstimate>>>;

/// The factor by which ceilings are raised to test whether a fit determines them: two widths of the widest prior.
inline constexpr double raised_ceilings = 4;

/// The calibration without the values that the records bound only from below. `raised` is the fit of the same records
/// under priors whose ceilings are `raised_ceilings` times higher. If that fit explains the records as well (it is not
/// twenty times less likely), a value that moved at least half as far as its prior, in ln, comes from the prior and not
/// from the records.
Calibration without_bounds(Calibration calibration, const Calibration& raised);

/// Adds what a calibration's own records say about each parameter. The fit's posterior is prior times likelihood. The
/// likelihood is taken as normal in the z-score, and the heavy-tailed prior counts as a normal one of its weight w
/// there (step_prior_loss). With 1 / error^2 = w + 1 / e^2, the likelihood has error e = 1 / sqrt(1 / error^2 - w) and
/// mean z (1 + w e^2).
/// Three kinds of parameters add nothing: one that ends at the prior's highest value, one that the records did not
/// narrow, and an assumed share of a NIC's rate. A parameter that they narrowed a little gets little weight: without
/// such sites, only the sites with large costs would determine a cost. Each parameter is taken from one kind of fit
/// only: of the synthetic runs, or of all.
void add_evidence(SiteEvidence& evidence, const Calibration& calibration, const Cluster& cluster, EvidenceRuns runs);

/// Returns one value for each site and class, with three digits: the weighted mean of the site's clusters. Its error
/// includes how much they differ.
std::vector<SiteSummary> summaries_of(const SiteEvidence& evidence);

} // namespace ddlsim
