#pragma once
// What the calibrations of sites say of each parameter, their priors divided out; and the prior that this makes.

#include "sim/formats/calibration.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/prior.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ddlsim {

// The prior of a new site, learnt from what measurements say of other sites.

/// What the measurements of one site say of a parameter, its prior divided out: ln x is normal.
struct SiteValue {
  std::string site;
  double mean = 0;  ///< of ln x
  double error = 0; ///< standard deviation of ln x
};

/// A log-normal: what is expected of a site that nobody has measured.
struct LearntPrior {
  double median = 0; ///< SI
  double width = 0;  ///< (95 % quantile - 5 % quantile) / (2 x 1.645) of ln x
};

/// Empirical Bayes over sites:
///   ln x of a site ~ Student's t with 4 degrees of freedom, centre mu and scale tau;
///   mu ~ normal around the judged prior's median with its width; tau ~ half-normal with scale `spread`.
/// 1. The posterior of (mu, tau) on a grid; t is a mixture of normals, so that a site's error adds to its variance.
/// 2. The quantiles of a new site's ln x under that posterior.
/// Without sites this is the judged prior, widened by what sites may differ. Throws std::invalid_argument for a prior
/// on a linear scale.
LearntPrior learn_prior(const Prior& judged, const std::vector<SiteValue>& sites, double spread);

/// What shares a prior: those over one transport and path, of one stack. Empty texts hold for all.
struct PriorClass {
  std::string parameter;
  std::string transport;
  std::string preset;
  std::string path;

  auto operator<=>(const PriorClass&) const = default;
};

PriorClass class_of(const Prior& prior);

/// How much sites may differ in a parameter, before any was seen, and what it cannot exceed on a right data sheet.
struct LearntParameter {
  const char* name;
  double spread;  ///< scale of the half-normal prior of tau, in ln x
  double highest; ///< evidence above it shows a mistake in the cluster file
  /// Learnt from runs on synthetic data only: loading costs what this parameter would take up too.
  bool synthetic_only = false;
};

/// Nothing for a parameter that is not learnt from sites: one-GPU times have their own evidence.
const LearntParameter* learnt_parameter(const std::string& name);

/// Which series a calibration was fitted to.
enum class EvidenceRuns { all, synthetic };

using SiteEvidence = std::map<PriorClass, std::vector<SiteValue>>;

/// Adds what a calibration's own records taught. The fit's posterior is prior times likelihood. The likelihood is
/// normal in the z-score; the heavy-tailed prior counts as the normal one of its weight w there (step_prior_loss):
///   1 / error^2 = w + 1 / e^2: the likelihood has error e = 1 / sqrt(1 / error^2 - w) and mean z (1 + w e^2).
/// A fit that ends at the prior's highest value wants more than there can be, and says nothing. Neither does a
/// parameter that the records hardly narrowed or about which regions of the fit disagree (doubt_left), nor a share of a
/// NIC's rate that is assumed. Each parameter is taken from one kind of fit only: of the synthetic runs, or of all.
void add_evidence(SiteEvidence& evidence, const Calibration& calibration, const Cluster& cluster, EvidenceRuns runs);

/// One value a site: the weighted mean of its clusters, as uncertain as they differ.
std::vector<SiteValue> pooled(const std::vector<SiteValue>& values);

} // namespace ddlsim
