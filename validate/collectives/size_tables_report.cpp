#include "calibrate/fit/collective_fit.hpp"
#include "sim/base/error.hpp"
#include "sim/base/table.hpp"
#include "validate/collectives/size_errors.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

std::string class_text(const SizeClass& size) {
  if (size.from_bytes <= 0) return "below " + size_text(size.below_bytes);
  if (size.below_bytes == no_largest_size) return size_text(size.from_bytes) + " and more";
  return fmt::format("{} to {}", size_text(size.from_bytes), size_text(size.below_bytes));
}

std::vector<std::string> row_of(const std::string& name, const MeanErrors& errors) {
  const auto percent = [](double error) { return fmt::format("{:.1f}", 100 * error); };
  return {name,
          fmt::format("{}", errors.tables),
          fmt::format("{}", errors.sizes),
          percent(errors.cluster_file),
          fmt::format("{:.0f}", 100 * errors.held),
          fmt::format("{:.0f}", 100 * errors.half_width),
          percent(errors.two_sizes),
          fmt::format("{:.0f}", 100 * errors.held_by_two_sizes),
          percent(errors.line)};
}

std::string errors_table(const std::string& of, const std::vector<std::vector<std::string>>& rows) {
  return to_table({{of, Align::left},
                   {"tables"},
                   {"sizes"},
                   {"cluster file"},
                   {"held"},
                   {"half-width"},
                   {"two sizes"},
                   {"held"},
                   {"line"}},
                  rows);
}

std::string table_by_size(const std::vector<PredictedCollective>& points, const std::string& of, bool nccl) {
  std::vector<std::vector<std::string>> rows;
  const auto add_row = [&](const std::string& name, const Wanted& wanted) {
    const auto errors =
        mean_errors(points, [&](const auto& point) { return is_over_nccl(point) == nccl && wanted(point); });
    if (errors.sizes > 0) rows.push_back(row_of(name, errors));
  };
  for (const auto& size : size_classes)
    add_row(class_text(size), [&](const auto& point) { return is_of(point, size); });
  add_row("all", [](const auto&) { return true; });
  if (rows.empty()) return "";
  const auto ranges = error_ranges(points, [&](const auto& point) { return is_over_nccl(point) == nccl; });
  const auto percent = [](const Range& range) {
    return fmt::format("{:.1f}..{:.1f}", 100 * range.low, 100 * range.high);
  };
  return errors_table(of, rows) +
         fmt::format("90 % of resampled tables, all sizes: cluster file {}, two sizes {}, line {}\n\n",
                     percent(ranges.cluster_file), percent(ranges.two_sizes), percent(ranges.line));
}

std::string table_by_cluster(const std::vector<PredictedCollective>& points) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& point : points)
    if (const auto& cluster = point.cluster; rows.empty() || rows.back().front() != cluster)
      rows.push_back(row_of(cluster, mean_errors(points, [&](const auto& one) { return one.cluster == cluster; })));
  return errors_table("cluster", rows);
}

} // namespace

std::string collectives_report_text(const std::vector<PredictedCollective>& points) {
  if (points.empty()) return "no table of all-reduces over three sizes and more\n";
  return to_lines(
             "All-reduces size by size: mean error in per cent of what ddlsim says from the cluster file alone, and "
             "once two sizes are measured, each with the share of sizes in its 90 % interval, and the interval's "
             "half-width in per cent; beside them the straight "
             "line through the same two. The library chooses the algorithm.") +
         "\n" + table_by_size(points, "over NCCL", true) + table_by_size(points, "over MPI, Gloo", false) +
         table_by_cluster(points);
}

} // namespace ddlsim
