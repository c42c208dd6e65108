#pragma once
// Two-level priors: sites scatter around the mean of their class, and the mean of each class has a prior of its own.

#include <vector>

namespace ddlsim {

/// The estimate of a quantity from one site, as a normal distribution.
struct SiteEstimate {
  double mean = 0;
  double error = 0; ///< standard deviation of the estimate
};

/// A class of sites: the prior of their mean, and the estimates of the measured sites.
struct SiteClass {
  double expected = 0;
  double width = 1; ///< standard deviation of the class' mean around `expected`
  std::vector<SiteEstimate> sites{};
};

/// The posterior of a class' mean for a given scatter of the class' sites.
struct ClassMean {
  double mean = 0;
  double variance = 0;
  double ln_evidence = 0; ///< ln of the likelihood of the sites' estimates, integrated over the mean
};

/// The prediction for a site of the class that was not measured, as a normal distribution.
struct NewSite {
  double mean = 0;
  double width = 0; ///< standard deviation of the prediction
};

struct TwoLevelPriors {
  double scatter = 0;               ///< tau: the root of the posterior mean of tau squared
  std::vector<NewSite> new_sites{}; ///< a prediction for each class, in their order
};

/// Distribution of sites around their class' mean: Student's t with 4 degrees of freedom, so that one outlier hardly
/// moves its class, or a normal distribution.
enum class Tails { student_t, normal };

/// With y_s the mean of site s, e_s its error, tau the scatter and mu the mean of the class:
///   y_s ~ Student's t around mu, whose middle 90 % is that of a normal of variance tau^2 + e_s^2;
///   mu ~ normal around `expected` with `width`.
/// Expectation-maximisation finds the most likely mu: the mean of the y_s, each weighted by its precision times the
/// weight of Student's t. The variance of mu and the evidence (Laplace) follow from the expected information of t. With
/// normal tails this is the textbook case: precisions add up and weight the mean.
ClassMean class_mean(const SiteClass& of, double scatter, Tails tails = Tails::student_t);

/// Returns the prediction for a new site of each class. All classes share tau, whose prior is half-normal with scale
/// `expected_scatter`, so that a class with one site also has an estimate of it. A new site has mean E[mu] and variance
/// E[var mu + tau^2] + var[E mu] over the posterior of tau, computed on a grid. Without any site these are `expected`
/// and width^2 + expected_scatter^2.
TwoLevelPriors two_level_priors(const std::vector<SiteClass>& classes, double expected_scatter,
                                Tails tails = Tails::student_t);

} // namespace ddlsim
