#include "diagnose/words.hpp"

#include "sim/predict/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ddlsim {

std::string chance_text(double chance) {
  constexpr double least = 0.001;
  if (chance <= least) return "0.1 % or less";
  return chance < 0.01 ? fmt::format("{:.1f} %", 100 * chance) : fmt::format("{:.0f} %", 100 * chance);
}

std::string point_text(const Observation& one) {
  auto name = to_text(one.what);
  std::replace(name.begin(), name.end(), '_', '-');
  return is_collective(one) ? name + " of " + binary_size(one.size_bytes) : name;
}

std::string deviation_text(const ComparedPoint& one) {
  return fmt::format("{:+.0f} %", std::round(100 * (one.observed.time_s / one.expected.s - 1)) + 0.0);
}

double bus_Bps(const Observation& one, double time_s) {
  return one.size_bytes * bus_factor(one.what, one.gpus) / time_s;
}

std::vector<int> percents_of(const std::vector<Cause>& causes) {
  std::vector<int> percents;
  std::vector<double> rests;
  for (const auto& one : causes) {
    percents.push_back(static_cast<int>(std::floor(100 * one.chance)));
    rests.push_back(100 * one.chance - percents.back());
  }
  int missing = 100 - std::accumulate(percents.begin(), percents.end(), 0);
  for (; missing > 0 && !rests.empty(); --missing) {
    const auto largest = std::max_element(rests.begin(), rests.end()) - rests.begin();
    ++percents[static_cast<std::size_t>(largest)];
    rests[static_cast<std::size_t>(largest)] = -1;
  }
  return percents;
}

std::string cause_text(const Cause& cause) {
  if (cause.row.severity == Severity::none) return cause.row.what;
  return fmt::format("{}, {:.2g} times as slow as it should be ({:.2g} to {:.2g})", cause.row.what, cause.severity,
                     cause.severity_low, cause.severity_high);
}

} // namespace ddlsim
