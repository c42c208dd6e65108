#include "sim/base/two_level_prior.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ddlsim {
namespace {

constexpr int most_rounds = 50; ///< largest number of rounds of expectation-maximisation; some ten are usual
constexpr double still = 1e-4;  ///< the last step moves the mean by less than this, in standard deviations of the mean
constexpr double freedom = 4;   ///< degrees of freedom of Student's t
constexpr double t_to_normal = 1.2960; ///< ratio of the 95 % quantiles of that t and the normal: 2.1318 / 1.6449

struct TSite {
  double mean;
  double variance; ///< squared scale of Student's t
};

std::vector<TSite> t_sites(const SiteClass& of, double scatter, Tails tails) {
  const double scale = tails == Tails::normal ? 1 : 1 / t_to_normal;
  std::vector<TSite> sites;
  for (const auto& site : of.sites)
    sites.push_back({site.mean, scale * scale * (scatter * scatter + site.error * site.error)});
  return sites;
}

double squared_distance(const TSite& site, double mean) {
  return (site.mean - mean) * (site.mean - mean) / site.variance;
}

/// Returns the weight of a site at that squared distance from the mean: Student's t is treated as a normal, whose
/// precision divided by that of t's scale is the weight.
double t_weight(double squared, Tails tails) {
  return tails == Tails::normal ? 1 : (freedom + 1) / (freedom + squared);
}

/// ln of the density without the terms that do not depend on the unknowns.
double ln_density(const TSite& site, double mean, Tails tails) {
  const double squared = squared_distance(site, mean);
  const double ln_tail = tails == Tails::normal ? -squared / 2 : -(freedom + 1) / 2 * std::log1p(squared / freedom);
  return ln_tail - std::log(site.variance) / 2;
}

/// Total precision of the sites, and the sum of their means weighted by precision.
struct Pull {
  double precision = 0;
  double sum = 0;
};

Pull pull_of(const std::vector<TSite>& sites, double mean, Tails tails, bool equal) {
  Pull pull;
  for (const auto& site : sites) {
    const double weight = equal ? 1 : t_weight(squared_distance(site, mean), tails);
    pull.precision += weight / site.variance;
    pull.sum += weight / site.variance * site.mean;
  }
  return pull;
}

constexpr int scatters = 24;
/// lower end of the grid, in expected scatters; estimates hardly differ below it
constexpr double least_scatter = 0.02;
/// upper end of the grid, in expected scatters; a half-normal exceeds it with probability 6e-5
constexpr double most_scatter = 4;

/// A grid of scatters with equal steps in ln.
std::array<double, scatters> scatter_grid(double expected_scatter) {
  std::array<double, scatters> grid{};
  for (int k = 0; k < scatters; ++k)
    grid[k] = expected_scatter * least_scatter * std::pow(most_scatter / least_scatter, k / (scatters - 1.0));
  return grid;
}

/// The classes' means for one value of tau.
struct AtScatter {
  double scatter;
  double weight; ///< posterior weight of this point of the grid
  std::vector<ClassMean> means;
};

std::vector<AtScatter> over_scatters(const std::vector<SiteClass>& classes, double expected_scatter, Tails tails) {
  std::vector<AtScatter> all;
  double largest = -HUGE_VAL;
  for (const double scatter : scatter_grid(expected_scatter)) {
    const double in_scales = scatter / expected_scatter;
    AtScatter at{scatter, std::log(scatter) - in_scales * in_scales / 2, {}};
    for (const auto& one : classes) {
      at.means.push_back(class_mean(one, scatter, tails));
      at.weight += at.means.back().ln_evidence;
    }
    largest = std::max(largest, at.weight);
    all.push_back(std::move(at));
  }
  double sum = 0;
  for (auto& at : all) sum += at.weight = std::exp(at.weight - largest);
  for (auto& at : all) at.weight /= sum;
  return all;
}

NewSite new_site(const std::vector<AtScatter>& posterior, std::size_t of_class) {
  double mean = 0;
  double square = 0;
  for (const auto& at : posterior) mean += at.weight * at.means[of_class].mean;
  for (const auto& at : posterior) {
    const auto& one = at.means[of_class];
    square += at.weight * (one.variance + at.scatter * at.scatter + (one.mean - mean) * (one.mean - mean));
  }
  return {mean, std::sqrt(square)};
}

} // namespace

ClassMean class_mean(const SiteClass& of, double scatter, Tails tails) {
  const auto sites = t_sites(of, scatter, tails);
  const double prior_precision = 1 / (of.width * of.width);
  double mean = of.expected;
  Pull pull;
  for (int round = 0; round < most_rounds; ++round) {
    pull = pull_of(sites, mean, tails, round == 0);
    const double next = (prior_precision * of.expected + pull.sum) / (prior_precision + pull.precision);
    const double step = std::abs(next - mean);
    mean = next;
    if (round > 0 && step * std::sqrt(prior_precision + pull.precision) < still) break;
  }
  // Fisher's information of the mean of Student's t
  const double information = tails == Tails::normal ? 1 : (freedom + 1) / (freedom + 3);
  ClassMean found{mean, 1 / (prior_precision + information * pull.precision), 0};
  const double from_expected = (mean - of.expected) / of.width;
  found.ln_evidence = -from_expected * from_expected / 2 + std::log(found.variance * prior_precision) / 2;
  for (const auto& site : sites) found.ln_evidence += ln_density(site, mean, tails);
  return found;
}

TwoLevelPriors two_level_priors(const std::vector<SiteClass>& classes, double expected_scatter, Tails tails) {
  const auto scattered = over_scatters(classes, expected_scatter, tails);
  TwoLevelPriors fitted;
  double square = 0;
  for (const auto& at : scattered) square += at.weight * at.scatter * at.scatter;
  fitted.scatter = std::sqrt(square);
  for (std::size_t i = 0; i < classes.size(); ++i) fitted.new_sites.push_back(new_site(scattered, i));
  return fitted;
}

} // namespace ddlsim
