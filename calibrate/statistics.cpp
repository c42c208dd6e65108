#include "calibrate/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ddlsim {

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

double standard_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double weighted_quantile(std::vector<Weighted> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  double total = 0;
  for (const auto& [value, weight] : values) total += weight;
  // A hair less than the share asked for, so that sums of thirds and tenths reach it.
  const double wanted = share * total * (1 - 1e-12);
  double sum = 0;
  for (const auto& [value, weight] : values)
    if ((sum += weight) >= wanted) return value;
  return values.back().first;
}

Range bootstrap_mean(const std::vector<double>& values, int draws, std::uint64_t seed) {
  if (values.size() < 2 || draws < 1) return {mean(values), mean(values)};
  std::mt19937_64 random(seed);
  std::vector<Weighted> means;
  for (int draw = 0; draw < draws; ++draw) {
    double sum = 0;
    // std:: distributions differ between libraries; the bias of the remainder is below 1e-16.
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[random() % values.size()];
    means.emplace_back(sum / static_cast<double>(values.size()), 1.0);
  }
  return {weighted_quantile(means, 0.05), weighted_quantile(means, 0.95)};
}

} // namespace ddlsim
