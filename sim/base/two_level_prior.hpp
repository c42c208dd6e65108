#pragma once
// Priors of two levels: sites scatter around the mean of their class, and the means lie where somebody expects them.

#include <vector>

namespace ddlsim {

/// What one site says of a quantity, as a normal.
struct SiteEstimate {
  double mean = 0;
  double error = 0; ///< standard deviation
};

/// A class of sites: what is expected of their mean, and what those that were measured say.
struct SiteClass {
  double expected = 0;
  double width = 1; ///< standard deviation of the class' mean around `expected`
  std::vector<SiteEstimate> sites{};
};

/// The mean of a class given how far its sites scatter.
struct ClassMean {
  double mean = 0;
  double variance = 0;
  double ln_evidence = 0; ///< ln of the likelihood of the sites, the mean integrated out
};

/// A normal: what one more site of a class is expected to have.
struct NewSite {
  double mean = 0;
  double width = 0; ///< standard deviation
};

struct TwoLevelPriors {
  double scatter = 0;               ///< tau, root of its mean square
  std::vector<NewSite> new_sites{}; ///< one a class, in their order
};

/// How sites scatter around their class' mean: as Student's t with 4 degrees of freedom, so that one that is far off
/// moves its class little, or as a normal.
enum class Tails { student_t, normal };

/// With y_s the mean of site s, e_s its error, tau the scatter and mu the mean of the class:
///   y_s ~ Student's t around mu, whose middle 90 % is that of a normal of variance tau^2 + e_s^2;
///   mu ~ normal around `expected` with `width`.
/// Expectation and maximisation find the likeliest mu: the mean weighted by precision times the weight of t. Its
/// variance is by the expected information of t, and so is the evidence (Laplace). With normal tails this is the
/// textbook's: precisions add, and the mean is weighted by them.
ClassMean class_mean(const SiteClass& of, double scatter, Tails tails = Tails::student_t);

/// Classes share tau, which is half-normal with scale `expected_scatter`: one with a single site still knows how sites
/// differ. A new site has mean E[mu] and variance E[var mu + tau^2] + var[E mu] over the posterior of tau, on a grid.
/// Without any site that is `expected`, and width^2 + expected_scatter^2.
TwoLevelPriors two_level_priors(const std::vector<SiteClass>& classes, double expected_scatter,
                                Tails tails = Tails::student_t);

} // namespace ddlsim
