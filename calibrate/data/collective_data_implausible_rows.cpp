#include "calibrate/data/collective_data.hpp"
#include "calibrate/data/data_checks.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace ddlsim {
namespace {

const double thousand = std::log(1000.0);
/// The least excess change of a time that counts as a wrong unit. Excess is a change beyond what a transfer can do. No
/// switch of protocol in the published tables comes near this.
const double least_unit_mistake = std::log(50.0);
/// Factor from which a row is an outlier. No switch of protocol in the published tables moves one size by more than 1.9
/// against both neighbours.
constexpr double outlier = 3;

/// How much ln time changes from one row to the next beyond what a transfer can do. A transfer's change is at least 0
/// and at most ln(size ratio).
double excess(const TransferSample& from, const TransferSample& to) {
  const double moved = std::log(to.time_s / from.time_s);
  const double most = std::log(to.size_bytes / from.size_bytes);
  return moved < 0 ? moved : std::max(0.0, moved - most);
}

/// The power of a thousand between two rows; 0 without a wrong unit. Half of the size's growth, which is the middle of
/// what a transfer may do, is subtracted from the change first.
int thousands(const TransferSample& from, const TransferSample& to) {
  if (std::abs(excess(from, to)) < least_unit_mistake) return 0;
  const double expected_change = std::log(to.size_bytes / from.size_bytes) / 2;
  return static_cast<int>(std::lround((std::log(to.time_s / from.time_s) - expected_change) / thousand));
}

/// For each row, the power of a thousand by which it is above the first row: the sum of the steps between neighbours.
std::vector<int> unit_levels(const std::vector<TransferSample>& samples) {
  std::vector<int> levels(samples.size(), 0);
  for (std::size_t i = 1; i < samples.size(); ++i) levels[i] = levels[i - 1] + thousands(samples[i - 1], samples[i]);
  return levels;
}

/// The level that most rows have. Of two equally frequent levels it is that of the larger sizes, whose times are more
/// exact.
int common_level(const std::vector<int>& levels) {
  std::map<int, int> counts;
  for (const int level : levels) ++counts[level];
  int best = levels.back();
  for (const auto& [level, count] : counts)
    if (count > counts[best]) best = level;
  return best;
}

/// How far a row is from the straight line between its neighbours, in logarithms.
double off_neighbours(const TransferSample& left, const TransferSample& here, const TransferSample& right) {
  const double share = std::log(here.size_bytes / left.size_bytes) / std::log(right.size_bytes / left.size_bytes);
  const double expected = std::log(left.time_s) + share * std::log(right.time_s / left.time_s);
  return std::log(here.time_s) - expected;
}

/// The factor by which an outlier is off its plausible neighbours; 1 for a row that is no outlier.
double outlier_factor(const TransferSample& left, const TransferSample& here, const TransferSample& right) {
  const double off = off_neighbours(left, here, right);
  // Neighbours whose times differ by more than their sizes allow are on two sides of a switch of protocol, and the row
  // belongs to one side.
  const bool neighbours_agree = std::abs(excess(left, right)) < std::log(outlier);
  const bool beyond_growth = here.time_s > outlier * right.time_s || here.time_s * outlier < left.time_s ||
                             std::abs(excess(left, here)) > std::log(outlier) ||
                             std::abs(excess(here, right)) > std::log(outlier);
  return neighbours_agree && beyond_growth && std::abs(off) > std::log(outlier) ? std::exp(off) : 1;
}

std::string outlier_text(const TransferSample& here, double factor) {
  return fmt::format("{} at {} is {:.1f} times {} than the sizes on both sides say",
                     print_quantity(here.time_s, Dimension::time), print_quantity(here.size_bytes, Dimension::size),
                     factor > 1 ? factor : 1 / factor, factor > 1 ? "more" : "less");
}

/// Marks the row that is farthest off first and repeats without it, because an outlier makes its neighbours look like
/// outliers.
void mark_outliers(const std::vector<TransferSample>& samples, std::vector<std::string>& reasons) {
  std::vector<std::size_t> plausible;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (reasons[i].empty()) plausible.push_back(i);
  while (plausible.size() > 2) {
    std::size_t wildest = 0;
    double most = 1;
    for (std::size_t k = 1; k + 1 < plausible.size(); ++k) {
      const double factor = outlier_factor(samples[plausible[k - 1]], samples[plausible[k]], samples[plausible[k + 1]]);
      if (std::abs(std::log(factor)) <= std::abs(std::log(most))) continue;
      most = factor;
      wildest = k;
    }
    if (wildest == 0) return;
    reasons[plausible[wildest]] = outlier_text(samples[plausible[wildest]], most);
    plausible.erase(plausible.begin() + static_cast<std::ptrdiff_t>(wildest));
  }
}

} // namespace

std::vector<std::string> implausible_rows(const std::vector<TransferSample>& samples) {
  std::vector<std::string> reasons(samples.size());
  if (samples.size() < 3) return reasons;
  const auto levels = unit_levels(samples);
  const int common = common_level(levels);
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (levels[i] != common) reasons[i] = unit_mistake_text((levels[i] - common) * thousand, "its neighbours allow");
  mark_outliers(samples, reasons);
  return reasons;
}

} // namespace ddlsim
