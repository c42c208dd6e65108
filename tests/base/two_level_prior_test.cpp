#include "sim/base/two_level_prior.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace ddlsim {
namespace {

TEST_CASE("with tau known and normal tails a class is the textbook's shrinkage", "[two-level]") {
  const SiteClass of{1, 0.5, {{2, 0.3}, {3, 0.4}}};
  const double tau = 0.4; // variances 0.25 and 0.32
  const double precision = 1 / 0.25 + 1 / 0.25 + 1 / 0.32;
  const auto found = class_mean(of, tau, Tails::normal);
  CHECK(found.mean == Approx((1 / 0.25 + 2 / 0.25 + 3 / 0.32) / precision));
  CHECK(found.variance == Approx(1 / precision));
}

TEST_CASE("a class without sites is where it is expected", "[two-level]") {
  const auto found = class_mean({1, 0.5}, 0.4);
  CHECK(found.mean == 1);
  CHECK(found.variance == Approx(0.25));
  const auto learnt = two_level_priors({{1, 0.5}}, 0.4);
  CHECK(learnt.new_sites.front().mean == Approx(1));
  CHECK(learnt.scatter == Approx(0.4).epsilon(0.01)); // of a half-normal, on a grid
  CHECK(learnt.new_sites.front().width == Approx(std::hypot(0.5, 0.4)).epsilon(0.01));
}

TEST_CASE("ln evidence of one site with normal tails is that of the sum of all variances", "[two-level]") {
  const auto ln_evidence = [](double at) { return class_mean({1, 0.5, {{at, 0.3}}}, 0.4, Tails::normal).ln_evidence; };
  CHECK(ln_evidence(2) - ln_evidence(1) == Approx(-1 / (2 * 0.5)).epsilon(1e-6)); // 0.25 + 0.09 + 0.16 of variance
}

TEST_CASE("one wild site moves its class little, and two that agree move it", "[two-level]") {
  std::vector<SiteEstimate> sites{{0, 0.05}, {0.1, 0.05}, {-0.1, 0.05}, {0.05, 0.05}, {-0.05, 0.05}};
  sites.push_back({3, 0.05});
  const auto one = class_mean({0, 1, sites}, 0.1);
  CHECK(std::abs(one.mean) < 0.03); // 0.5 of a plain mean
  for (int i = 0; i < 12; ++i) sites.push_back({3, 0.05});
  CHECK(class_mean({0, 1, sites}, 0.1).mean > 2.9);
}

TEST_CASE("a class with one site knows from the others how sites differ", "[two-level]") {
  SiteClass many{0, 1, {}};
  for (int i = 0; i < 10; ++i) many.sites.push_back({i % 2 == 0 ? 0.02 : -0.02, 0.01});
  const SiteClass one{5, 1, {{4, 0.01}}};
  const auto together = two_level_priors({many, one}, 0.5);
  const auto alone = two_level_priors({one}, 0.5);
  CHECK(together.scatter < 0.05);
  CHECK(together.new_sites[1].width < 0.1);
  CHECK(alone.new_sites[0].width > 0.3);
  CHECK(together.new_sites[1].mean == Approx(4).margin(0.01));
}

/// Of 20 planted sites of three classes with one scatter; how often new sites lie within the middle 90 % expected.
struct Recovered {
  double scatter = 0; ///< mean over repeats
  double mean_z = 0;  ///< root of the mean square of (expected - true mean) / its sampling error
  double held = 0;
};

template <class Scatter> Recovered recover(double tau, Scatter scatter) {
  constexpr int repeats = 300;
  constexpr int new_sites = 20;
  constexpr double z_95 = 1.6449;
  const std::vector<double> means{-1, 0.3, 2};
  const std::vector<int> counts{12, 6, 2};
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Recovered all;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::vector<SiteClass> classes;
    std::vector<double> truth;
    for (std::size_t c = 0; c < means.size(); ++c) {
      classes.push_back({means[c], 0.6, {}});
      truth.push_back(means[c] + 0.6 * normal(random));
      for (int i = 0; i < counts[c]; ++i)
        classes[c].sites.push_back({truth[c] + tau * scatter(random) + 0.1 * normal(random), 0.1});
    }
    const auto learnt = two_level_priors(classes, 0.45);
    all.scatter += learnt.scatter / repeats;
    for (std::size_t c = 0; c < means.size(); ++c) {
      const auto& found = learnt.new_sites[c];
      const double z = (found.mean - truth[c]) / std::sqrt((tau * tau + 0.01) / counts[c]);
      all.mean_z += z * z / static_cast<double>(repeats * means.size());
      for (int i = 0; i < new_sites; ++i)
        if (std::abs(truth[c] + tau * scatter(random) - found.mean) < z_95 * found.width)
          all.held += 1.0 / static_cast<double>(repeats * new_sites * means.size());
    }
  }
  return all;
}

TEST_CASE("twenty planted sites of three classes give means and scatter back, and hold new sites", "[two-level]") {
  for (const double tau : {0.15, 0.3, 0.6}) {
    const auto of_normals = recover(tau, std::normal_distribution<double>());
    const auto of_t = recover(tau, [between = std::student_t_distribution<double>(4)](auto& random) mutable {
      return between(random) / 1.296; // the middle 90 % of a normal
    });
    for (const auto& found : {of_normals, of_t}) {
      INFO(tau << ": scatter " << found.scatter << ", means off " << found.mean_z << ", held " << found.held);
      // The root of E[tau^2] is above tau while sites are few: by a quarter where their errors are most of 0.15.
      CHECK(found.scatter == Approx(tau).epsilon(0.25));
      CHECK(found.mean_z < 1.4); // variance of a mean of t is 1.19 times that of normals with the same middle
      CHECK(found.held > 0.85);
      CHECK(found.held < 0.95);
    }
  }
}

} // namespace
} // namespace ddlsim
