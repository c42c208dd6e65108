#include "validate/collectives/size_errors.hpp"

#include "sim/formats/names.hpp"

#include <cmath>
#include <cstdint>
#include <map>

namespace ddlsim {
namespace {

void add(const MeanErrors& more, double weight, MeanErrors& all) {
  all.sizes += more.sizes;
  all.cluster_file += weight * more.cluster_file;
  all.two_sizes += weight * more.two_sizes;
  all.line += weight * more.line;
  all.held += weight * more.held;
  all.held_by_two_sizes += weight * more.held_by_two_sizes;
  all.half_width += weight * more.half_width;
}

MeanErrors error_of(const PredictedCollective& point) {
  const auto error = [&](double predicted_s) { return std::abs(predicted_s / point.measured_s - 1); };
  return {1,
          1,
          error(point.from_cluster_file_s),
          error(point.from_two_sizes_s),
          error(point.line_s),
          point.held ? 1.0 : 0.0,
          point.held_by_two_sizes ? 1.0 : 0.0,
          point.s_low > 0 ? std::log(point.s_high / point.s_low) / 2 : 0};
}

std::map<std::string, std::vector<MeanErrors>> errors_by_table(const std::vector<PredictedCollective>& points,
                                                               const Wanted& wanted) {
  std::map<std::string, std::vector<MeanErrors>> by_table;
  for (const auto& point : points)
    if (wanted(point)) by_table[point.table].push_back(error_of(point));
  return by_table;
}

} // namespace

MeanErrors mean_errors(const std::vector<PredictedCollective>& points, const Wanted& wanted) {
  const auto by_table = errors_by_table(points, wanted);
  MeanErrors all;
  all.tables = static_cast<int>(by_table.size());
  for (const auto& [table, errors] : by_table)
    for (const auto& one : errors) add(one, 1.0 / static_cast<double>(errors.size() * by_table.size()), all);
  return all;
}

ErrorRanges error_ranges(const std::vector<PredictedCollective>& points, const Wanted& wanted) {
  constexpr int resamples = 2000;
  constexpr std::uint64_t seed = 1;
  std::vector<double> cluster_file, two_sizes, line;
  for (const auto& [table, errors] : errors_by_table(points, wanted)) {
    MeanErrors mean;
    for (const auto& one : errors) add(one, 1.0 / static_cast<double>(errors.size()), mean);
    cluster_file.push_back(mean.cluster_file);
    two_sizes.push_back(mean.two_sizes);
    line.push_back(mean.line);
  }
  return {bootstrap_mean(cluster_file, resamples, seed), bootstrap_mean(two_sizes, resamples, seed),
          bootstrap_mean(line, resamples, seed)};
}

bool is_of(const PredictedCollective& point, const SizeClass& size) {
  return point.size_bytes >= size.from_bytes && point.size_bytes < size.below_bytes;
}

bool is_over_nccl(const PredictedCollective& point) {
  return carrier_of(point.transport) == Carrier::nccl;
}

} // namespace ddlsim
