#include "trainer/records/statistics.hpp"

#include "sim/base/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ddltrain {
namespace {

double median_distance(const std::vector<double>& samples, double from) {
  std::vector<double> distances;
  distances.reserve(samples.size());
  for (const double sample : samples) distances.push_back(std::abs(sample - from));
  return ddlsim::median(distances);
}

double standard_error_of_median(const std::vector<double>& samples) {
  if (samples.size() < fewest_samples) return std::numeric_limits<double>::infinity();
  const auto count = static_cast<double>(samples.size());
  const double reach = std::sqrt(count) / 2 / (count - 1); // as a share of the range from the first sample to the last
  return (ddlsim::quantile(samples, 0.5 + reach) - ddlsim::quantile(samples, 0.5 - reach)) / 2;
}

} // namespace

Summary summarise(const std::vector<double>& samples) {
  if (samples.empty()) throw std::logic_error("a summary of no samples");
  const auto [lowest, highest] = std::minmax_element(samples.begin(), samples.end());
  Summary summary;
  summary.count = static_cast<int>(samples.size());
  summary.median = ddlsim::median(samples);
  summary.mad = median_distance(samples, summary.median);
  summary.standard_deviation = ddlsim::standard_deviation(samples);
  summary.lowest = *lowest;
  summary.highest = *highest;
  summary.median_standard_error = standard_error_of_median(samples);
  return summary;
}

bool enough(const std::vector<double>& samples, double elapsed_s, const RepeatLimits& limits) {
  const auto count = static_cast<int>(samples.size());
  if (count >= limits.most_repetitions) return true;
  if (count < fewest_samples) return false;
  if (elapsed_s >= limits.most_seconds) return true;
  if (count < fewest_to_stop) return false;
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
