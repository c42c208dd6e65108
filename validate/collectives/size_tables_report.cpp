#include "calibrate/fit/collective_fit.hpp"
#include "sim/base/json.hpp"
#include "sim/base/statistics.hpp"
#include "sim/base/table.hpp"
#include "sim/formats/names.hpp"
#include "validate/collectives/size_tables.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr double endless = std::numeric_limits<double>::infinity();

struct SizeClass {
  double from_bytes;
  double below_bytes;
};

/// Latency dominates small messages, bandwidth large ones; the gradient buckets of training are in the third and fourth
/// class.
constexpr SizeClass size_classes[] = {
    {0, 16 << 10}, {16 << 10, 1 << 20}, {1 << 20, 16 << 20}, {16 << 20, 256 << 20}, {256 << 20, endless}};

/// Means of |predicted / measured - 1| for each method.
struct MeanErrors {
  int tables = 0;
  int sizes = 0;
  double cluster_file = 0;
  double two_sizes = 0;
  double line = 0;
  double held = 0; ///< share of sizes
  double held_by_two_sizes = 0;
};

void add(const MeanErrors& more, double weight, MeanErrors& all) {
  all.sizes += more.sizes;
  all.cluster_file += weight * more.cluster_file;
  all.two_sizes += weight * more.two_sizes;
  all.line += weight * more.line;
  all.held += weight * more.held;
  all.held_by_two_sizes += weight * more.held_by_two_sizes;
}

MeanErrors error_of(const PredictedCollective& point) {
  const auto error = [&](double predicted_s) { return std::abs(predicted_s / point.measured_s - 1); };
  return {1,
          1,
          error(point.from_cluster_file_s),
          error(point.from_two_sizes_s),
          error(point.line_s),
          point.held ? 1.0 : 0.0,
          point.held_by_two_sizes ? 1.0 : 0.0};
}

using Wanted = std::function<bool(const PredictedCollective&)>;

std::map<std::string, std::vector<MeanErrors>> errors_by_table(const std::vector<PredictedCollective>& points,
                                                               const Wanted& wanted) {
  std::map<std::string, std::vector<MeanErrors>> by_table;
  for (const auto& point : points)
    if (wanted(point)) by_table[point.table].push_back(error_of(point));
  return by_table;
}

/// Mean errors over a table, then over tables, so that a table with many sizes has no more weight than another.
MeanErrors mean_errors(const std::vector<PredictedCollective>& points, const Wanted& wanted) {
  const auto by_table = errors_by_table(points, wanted);
  MeanErrors all;
  all.tables = static_cast<int>(by_table.size());
  for (const auto& [table, errors] : by_table)
    for (const auto& one : errors) add(one, 1.0 / static_cast<double>(errors.size() * by_table.size()), all);
  return all;
}

/// Ranges with 90 % of the means over resampled tables, for each method.
struct ErrorRanges {
  Range cluster_file;
  Range two_sizes;
  Range line;
};

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

bool is_nccl(const PredictedCollective& point) {
  return carrier_of(point.transport) == Carrier::nccl;
}

std::string class_text(const SizeClass& size) {
  if (size.from_bytes <= 0) return "below " + size_text(size.below_bytes);
  if (size.below_bytes == endless) return size_text(size.from_bytes) + " and more";
  return fmt::format("{} to {}", size_text(size.from_bytes), size_text(size.below_bytes));
}

std::vector<std::string> row_of(const std::string& name, const MeanErrors& errors) {
  const auto percent = [](double error) { return fmt::format("{:.1f}", 100 * error); };
  return {name,
          fmt::format("{}", errors.tables),
          fmt::format("{}", errors.sizes),
          percent(errors.cluster_file),
          fmt::format("{:.0f}", 100 * errors.held),
          percent(errors.two_sizes),
          fmt::format("{:.0f}", 100 * errors.held_by_two_sizes),
          percent(errors.line)};
}

std::string errors_table(const std::string& of, const std::vector<std::vector<std::string>>& rows) {
  return to_table(
      {{of, Align::left}, {"tables"}, {"sizes"}, {"cluster file"}, {"held"}, {"two sizes"}, {"held"}, {"line"}}, rows);
}

std::string table_by_size(const std::vector<PredictedCollective>& points, const std::string& of, bool nccl) {
  std::vector<std::vector<std::string>> rows;
  const auto add_row = [&](const std::string& name, const Wanted& wanted) {
    const auto errors = mean_errors(points, [&](const auto& point) { return is_nccl(point) == nccl && wanted(point); });
    if (errors.sizes > 0) rows.push_back(row_of(name, errors));
  };
  for (const auto& size : size_classes)
    add_row(class_text(size), [&](const auto& point) { return is_of(point, size); });
  add_row("all", [](const auto&) { return true; });
  if (rows.empty()) return "";
  const auto ranges = error_ranges(points, [&](const auto& point) { return is_nccl(point) == nccl; });
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

Json json_of(const std::vector<PredictedCollective>& points, const SizeClass& size, bool nccl) {
  const auto errors =
      mean_errors(points, [&](const auto& point) { return is_nccl(point) == nccl && is_of(point, size); });
  return {{"carrier", nccl ? "nccl" : "host"},
          {"from_bytes", size.from_bytes},
          {"below_bytes", size.below_bytes == endless ? Json() : Json(size.below_bytes)},
          {"tables", errors.tables},
          {"sizes", errors.sizes},
          {"cluster_file", errors.cluster_file},
          {"two_sizes", errors.two_sizes},
          {"line", errors.line},
          {"held", errors.held},
          {"held_by_two_sizes", errors.held_by_two_sizes}};
}

Json json_of_all_sizes(const std::vector<PredictedCollective>& points, bool nccl) {
  const Wanted wanted = [&](const auto& point) { return is_nccl(point) == nccl; };
  const auto errors = mean_errors(points, wanted);
  Json json{{"carrier", nccl ? "nccl" : "host"}, {"tables", errors.tables}};
  if (errors.tables == 0) return json;
  const auto ranges = error_ranges(points, wanted);
  const auto put = [&](const std::string& method, double error, const Range& range) {
    json[method] = error;
    json[method + "_low"] = range.low;
    json[method + "_high"] = range.high;
  };
  put("cluster_file", errors.cluster_file, ranges.cluster_file);
  put("two_sizes", errors.two_sizes, ranges.two_sizes);
  put("line", errors.line, ranges.line);
  return json;
}

Json json_of(const PredictedCollective& point) {
  return {{"cluster", point.cluster},
          {"table", point.table},
          {"transport", point.transport},
          {"ranks", point.ranks},
          {"nodes", point.nodes},
          {"size_bytes", point.size_bytes},
          {"measured_s", point.measured_s},
          {"from_cluster_file_s", point.from_cluster_file_s},
          {"from_two_sizes_s", point.from_two_sizes_s},
          {"held", point.held},
          {"held_by_two_sizes", point.held_by_two_sizes},
          {"line_s", point.line_s}};
}

} // namespace

std::string collectives_report_text(const std::vector<PredictedCollective>& points) {
  if (points.empty()) return "no table of all-reduces over three sizes and more\n";
  return to_lines(
             "All-reduces size by size: mean error in per cent of what ddlsim says from the cluster file alone, and "
             "once two sizes are measured, each with the share of sizes in its 90 % interval; beside them the straight "
             "line through the same two. The library chooses the algorithm.") +
         "\n" + table_by_size(points, "over NCCL", true) + table_by_size(points, "over MPI, Gloo", false) +
         table_by_cluster(points);
}

std::string collectives_json(const std::vector<PredictedCollective>& points) {
  Json json{{"format", "ddlsim-collectives"},
            {"version", 1},
            {"all_sizes", Json::array()},
            {"by_size", Json::array()},
            {"points", Json::array()}};
  for (const bool nccl : {true, false}) {
    json["all_sizes"].push_back(json_of_all_sizes(points, nccl));
    for (const auto& size : size_classes) json["by_size"].push_back(json_of(points, size, nccl));
  }
  for (const auto& point : points) json["points"].push_back(json_of(point));
  return json_text(json, 1) + "\n";
}

} // namespace ddlsim
