#include "calibrate/priors/site_evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace ddlsim {

namespace {

/// Student's t with 4 degrees of freedom as normals of variance tau^2 / precision: the medians of eight equal shares of
/// Gamma(2, 2), whose distribution function is 1 - exp(-2 x) (1 + 2 x).
constexpr std::size_t shares = 8;
const std::array<double, shares>& precisions() {
  static const auto table = [] {
    std::array<double, shares> values{};
    for (std::size_t i = 0; i < shares; ++i) {
      const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(shares);
      double low = 0;
      double high = 20;
      for (int step = 0; step < 60; ++step) {
        const double middle = (low + high) / 2;
        (1 - std::exp(-2 * middle) * (1 + 2 * middle) < share ? low : high) = middle;
      }
      values[i] = low;
    }
    return values;
  }();
  return table;
}

/// A point of the grid with its posterior weight.
struct GridPoint {
  double centre;
  double scale;
  double weight;
};

constexpr int centres = 81;
constexpr int scales = 32;
constexpr double nearly_none = 1e-300; ///< in place of a likelihood of 0, which has no logarithm
constexpr double reach = 5;            ///< of the grid, in widths and spreads: beyond it nothing has weight

double site_likelihood(const SiteValue& site, double centre, double scale) {
  double sum = 0;
  for (const double precision : precisions()) {
    const double variance = scale * scale / precision + site.error * site.error;
    sum += std::exp(-(site.mean - centre) * (site.mean - centre) / (2 * variance)) / std::sqrt(variance);
  }
  return sum / shares;
}

double ln_posterior(const Prior& judged, const std::vector<SiteValue>& sites, double spread, double centre,
                    double scale) {
  const double from_judged = (centre - std::log(judged.median)) / judged.width;
  double sum = -(from_judged * from_judged + scale * scale / (spread * spread)) / 2;
  for (const auto& site : sites) sum += std::log(site_likelihood(site, centre, scale) + nearly_none);
  return sum;
}

std::vector<GridPoint> posterior(const Prior& judged, const std::vector<SiteValue>& sites, double spread) {
  std::vector<GridPoint> grid;
  double largest = -1e300;
  for (int i = 0; i < centres; ++i) {
    for (int k = 0; k < scales; ++k) {
      const double centre = std::log(judged.median) + reach * judged.width * (2.0 * i / (centres - 1) - 1);
      const double scale = (k + 0.5) * 4 * spread / scales;
      grid.push_back({centre, scale, ln_posterior(judged, sites, spread, centre, scale)});
      largest = std::max(largest, grid.back().weight);
    }
  }
  for (auto& point : grid) point.weight = std::exp(point.weight - largest);
  double sum = 0;
  for (const auto& point : grid) sum += point.weight;
  for (auto& point : grid) point.weight /= sum;
  grid.erase(std::remove_if(grid.begin(), grid.end(), [](const GridPoint& point) { return point.weight < 1e-7; }),
             grid.end());
  return grid;
}

/// The share of new sites whose ln x is below `value`.
double share_below(const std::vector<GridPoint>& grid, double value) {
  double share = 0;
  for (const auto& point : grid) {
    for (const double precision : precisions())
      share += point.weight / shares *
               std::erfc((point.centre - value) / (std::sqrt(2.0) * point.scale / std::sqrt(precision))) / 2;
  }
  return share;
}

double quantile(const std::vector<GridPoint>& grid, double share, double low, double high) {
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    (share_below(grid, middle) < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

} // namespace

LearntPrior learn_prior(const Prior& judged, const std::vector<SiteValue>& sites, double spread) {
  if (judged.scale != PriorScale::log) throw std::invalid_argument("a prior on a linear scale cannot be learnt");
  constexpr double z_95 = 1.6449;
  const auto grid = posterior(judged, sites, spread);
  const double middle = std::log(judged.median);
  const double far = reach * judged.width + 10 * spread;
  const auto at = [&](double share) { return quantile(grid, share, middle - far, middle + far); };
  return {std::exp(at(0.5)), (at(0.95) - at(0.05)) / (2 * z_95)};
}

} // namespace ddlsim
