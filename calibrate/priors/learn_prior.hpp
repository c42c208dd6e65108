#pragma once
// The prior of a new site, learnt from what measurements say of other sites.

#include "sim/formats/prior.hpp"

#include <string>
#include <vector>

namespace ddlsim {

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

} // namespace ddlsim
