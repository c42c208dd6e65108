#include "trainer/records/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace ddltrain {
namespace {

/// The order statistic of rank `rank` (1 is the lowest), between neighbours linearly.
double order_statistic(const std::vector<double>& sorted, double rank) {
  const double place = std::clamp(rank - 1, 0.0, static_cast<double>(sorted.size() - 1));
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = place - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

double median_of_sorted(const std::vector<double>& sorted) {
  return order_statistic(sorted, (static_cast<double>(sorted.size()) + 1) / 2);
}

double median_distance(const std::vector<double>& samples, double from) {
  std::vector<double> distances;
  distances.reserve(samples.size());
  for (const double sample : samples) distances.push_back(std::abs(sample - from));
  std::sort(distances.begin(), distances.end());
  return median_of_sorted(distances);
}

double standard_deviation(const std::vector<double>& samples) {
  if (samples.size() < 2) return 0;
  const auto count = static_cast<double>(samples.size());
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / count;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return std::sqrt(squares / (count - 1));
}

double standard_error_of_median(const std::vector<double>& sorted) {
  if (sorted.size() < kFewestSamples) return std::numeric_limits<double>::infinity();
  const auto count = static_cast<double>(sorted.size());
  const double middle = (count + 1) / 2;
  const double reach = std::sqrt(count) / 2;
  return (order_statistic(sorted, middle + reach) - order_statistic(sorted, middle - reach)) / 2;
}

} // namespace

Summary summarise(const std::vector<double>& samples) {
  if (samples.empty()) throw std::logic_error("a summary of no samples");
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  Summary summary;
  summary.count = static_cast<int>(sorted.size());
  summary.median = median_of_sorted(sorted);
  summary.mad = median_distance(sorted, summary.median);
  summary.standard_deviation = standard_deviation(samples);
  summary.lowest = sorted.front();
  summary.highest = sorted.back();
  summary.median_standard_error = standard_error_of_median(sorted);
  return summary;
}

bool enough(const std::vector<double>& samples, double elapsed_s, const RepeatLimits& limits) {
  const auto count = static_cast<int>(samples.size());
  if (count >= limits.most_repetitions) return true;
  if (count < kFewestSamples) return false;
  if (elapsed_s >= limits.most_seconds) return true;
  if (count < kFewestToStop) return false;
  const Summary summary = summarise(samples);
  return summary.median_standard_error <= limits.relative_error * summary.median;
}

std::vector<double> repeat(const std::function<double()>& once, const RepeatLimits& limits) {
  for (int i = 0; i < limits.warm_up; ++i) once();
  std::vector<double> samples;
  const double start_s = now_s();
  do {
    samples.push_back(once());
  } while (!enough(samples, now_s() - start_s, limits));
  return samples;
}

std::string spread_text(const Summary& summary) {
  const auto percent = [&](double value) { return 100 * value / summary.median; };
  const std::string error = std::isfinite(summary.median_standard_error)
                                ? fmt::format("{:.2g} %", percent(summary.median_standard_error))
                                : "not known";
  return fmt::format("MAD {:.2g} %, standard error of the median {}", percent(summary.mad), error);
}

} // namespace ddltrain
