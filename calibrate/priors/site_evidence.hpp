#pragma once
// What the calibrations of sites say of each parameter, their priors divided out.

#include "sim/base/two_level_prior.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/prior_book.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// Which series a calibration was fitted to.
enum class EvidenceRuns { all, synthetic };

/// For each site and class, the estimate of ln x by each of the site's clusters.
using SiteEvidence = std::map<std::string, std::map<PriorClass, std::vector<SiteEstimate>>>;

/// How much higher ceilings are expected where a fit is asked whether it holds them: two widths of the widest.
inline constexpr double raised_ceilings = 4;

/// The calibration without ceilings that the records only bound from below. `raised` is the fit of the same records
/// where ceilings are expected to be `raised_ceilings` times higher. Where it explains the records, too (they are not
/// twenty times less likely), a value that went at least half the way with its prior, in ln, is the prior's and not
/// the records'.
Calibration without_bounds(Calibration calibration, const Calibration& raised);

/// Adds what a calibration's own records taught. The fit's posterior is prior times likelihood. The likelihood is
/// normal in the z-score; the heavy-tailed prior counts as the normal one of its weight w there (step_prior_loss):
///   1 / error^2 = w + 1 / e^2: the likelihood has error e = 1 / sqrt(1 / error^2 - w) and mean z (1 + w e^2).
/// A fit that ends at the prior's highest value wants more than there can be, and says nothing. Neither does a
/// parameter that the records did not narrow, nor a share of a NIC's rate that is assumed. One that they narrowed a
/// little counts a little: without such sites a cost would be learnt from those alone where it is large. Each parameter
/// is taken from one kind of fit only: of the synthetic runs, or of all.
void add_evidence(SiteEvidence& evidence, const Calibration& calibration, const Cluster& cluster, EvidenceRuns runs);

/// One value a site and class, with three digits: the weighted mean of its clusters, as uncertain as they differ.
std::vector<SiteSummary> summaries_of(const SiteEvidence& evidence);

} // namespace ddlsim
