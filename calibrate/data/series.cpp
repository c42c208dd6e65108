#include "calibrate/data/series.hpp"

#include "sim/base/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <utility>

namespace ddlsim {
namespace {

struct Seen {
  const StepRecord* step = nullptr;
  const MeasurementFile* file = nullptr;
  RecordIndex index = 0;
};

/// The fields in which records of one series, and the one-GPU runs beside it, agree.
struct GroupKey {
  std::string cluster;
  std::string file;
  std::string series;
  std::string gpu;
  std::string device;
  std::string model;
  Precision precision = Precision::fp32;
  double batch_per_gpu = 0;
  std::string data;
  std::string preset;
  auto operator<=>(const GroupKey&) const = default;
};

GroupKey key_of(const Seen& seen) {
  const auto& step = *seen.step;
  return {seen.file->context.cluster,
          seen.file->file.string(),
          step.head.series,
          step.head.gpu,
          step.head.device,
          step.model,
          step.precision,
          step.batch_per_gpu,
          step.data,
          step.preset};
}

bool is_base(const StepRecord& step) {
  return step.gpus == 1 && (!step.synchronised || step.strategy.name == StrategyName::none);
}

/// How gradients are sent; it distinguishes the series of one group. One-GPU records need not name a transport.
struct Route {
  StrategyName strategy = StrategyName::none;
  std::string transport;
  std::string whole_strategy{}; ///< its text, if one scale was measured under two strategies of this name
  auto operator<=>(const Route&) const = default;
};

std::map<GroupKey, std::vector<Seen>> by_key(const std::vector<MeasurementFile>& files) {
  std::map<GroupKey, std::vector<Seen>> groups;
  RecordIndex index = 0;
  for (const auto& file : files) {
    for (const auto& record : file.records) {
      const Seen seen{std::get_if<StepRecord>(&record), &file, index++};
      if (seen.step != nullptr && seen.step->mode == RunMode::train) groups[key_of(seen)].push_back(seen);
    }
  }
  return groups;
}

/// True if some scale of the group was measured under two strategies; they are then two experiments.
bool strategies_collide(const std::vector<Seen>& group) {
  std::map<std::pair<int, int>, std::set<std::string>> at_scale;
  for (const auto& seen : group) at_scale[{seen.step->gpus, seen.step->nodes}].insert(to_text(seen.step->strategy));
  return std::any_of(at_scale.begin(), at_scale.end(), [](const auto& one) { return one.second.size() > 1; });
}

/// The records of one group, by route.
std::map<Route, std::vector<Seen>> by_route(const std::vector<Seen>& group) {
  std::map<Route, std::vector<Seen>> routes;
  for (const auto& seen : group)
    if (!is_base(*seen.step)) routes[{seen.step->strategy.name, seen.step->head.transport}].push_back(seen);
  std::map<Route, std::vector<Seen>> split;
  for (const auto& [route, members] : routes) {
    const bool collide = strategies_collide(members);
    for (const auto& seen : members)
      split[{route.strategy, route.transport, collide ? to_text(seen.step->strategy) : ""}].push_back(seen);
  }
  return split;
}

std::vector<Seen> preferred(const std::vector<Seen>& same_scale) {
  std::vector<Seen> trusted;
  for (const auto& seen : same_scale)
    if (!seen.step->head.suspect) trusted.push_back(seen);
  return trusted.empty() ? same_scale : trusted;
}

SeriesPoint make_point(const std::vector<Seen>& same_scale) {
  const auto chosen = preferred(same_scale);
  const auto& first = *chosen.front().step;
  std::vector<double> times;
  SeriesPoint point;
  for (const auto& seen : chosen) {
    times.push_back(seen.step->iteration_s);
    point.relative_spread = std::max(point.relative_spread, seen.step->head.relative_spread);
    point.repeats = std::max(point.repeats, seen.step->head.repeats);
    point.records.push_back(seen.index);
  }
  point.gpus = first.gpus;
  point.nodes = first.nodes;
  point.gpus_per_node = first.gpus_per_node;
  point.iteration_s = median(times);
  point.suspect = first.head.suspect;
  point.strategy = first.strategy;
  if (point.relative_spread == 0 && times.size() > 1) point.relative_spread = standard_deviation(times) / mean(times);
  if (point.repeats == 0 && times.size() > 1) point.repeats = static_cast<int>(times.size());
  return point;
}

std::vector<SeriesPoint> make_points(const std::vector<Seen>& members) {
  std::map<std::pair<int, int>, std::vector<Seen>> at_scale;
  for (const auto& seen : members) at_scale[{seen.step->gpus, seen.step->nodes}].push_back(seen);
  std::vector<SeriesPoint> points;
  points.reserve(at_scale.size());
  for (const auto& [scale, same] : at_scale) points.push_back(make_point(same));
  return points;
}

void set_base(Series& series, const std::vector<Seen>& group) {
  std::vector<Seen> base;
  for (const auto& seen : group)
    if (is_base(*seen.step)) base.push_back(seen);
  if (base.empty()) return;
  std::vector<double> times;
  for (const auto& seen : preferred(base)) {
    times.push_back(seen.step->iteration_s);
    series.one_gpu_records.push_back(seen.index);
  }
  series.one_gpu_s = median(times);
}

std::string strategy_text(const std::vector<Seen>& members) {
  std::set<std::string> texts;
  for (const auto& seen : members) texts.insert(to_text(seen.step->strategy));
  return texts.size() == 1 ? *texts.begin() : to_text(members.front().step->strategy.name);
}

Series make_series(const std::vector<Seen>& members, const std::vector<Seen>& group) {
  const auto& seen = members.front();
  const auto& step = *seen.step;
  Series series;
  series.file = seen.file->file.stem().string();
  series.name = step.head.series;
  series.cluster = seen.file->context.cluster;
  series.gpu = step.head.gpu;
  series.device = step.head.device;
  series.model = step.model;
  series.precision = step.precision;
  series.wire_precision = step.wire_precision;
  series.batch_per_gpu = step.batch_per_gpu;
  series.data = step.data;
  series.strategy = strategy_text(members);
  series.strategy_name = step.strategy.name;
  series.preset = step.preset;
  series.transport = step.head.transport;
  series.emulated = seen.file->context.emulated;
  series.id = fmt::format("{}/{}/{}", series.cluster, series.file, series.name);
  if (!is_base(step)) series.points = make_points(members);
  set_base(series, group);
  return series;
}

/// If several series have the same id, adds the fields in which they may differ.
void make_ids_unique(std::vector<Series>& all) {
  std::map<std::string, int> count;
  for (const auto& series : all) ++count[series.id];
  for (auto& series : all) {
    if (count[series.id] > 1) {
      series.id += fmt::format(" {} {} batch {:g} {} {} {} {}", series.model, to_text(series.precision),
                               series.batch_per_gpu, series.preset, series.strategy, series.transport, series.data);
    }
  }
  std::map<std::string, int> seen;
  for (auto& series : all)
    if (const int again = ++seen[series.id]; again > 1) series.id += fmt::format(" #{}", again);
}

} // namespace

std::vector<Series> group_series(const std::vector<MeasurementFile>& files) {
  std::vector<Series> all;
  for (const auto& [key, group] : by_key(files)) {
    const auto routes = by_route(group);
    for (const auto& [route, members] : routes) all.push_back(make_series(members, group));
    if (routes.empty()) all.push_back(make_series(group, group));
  }
  make_ids_unique(all);
  std::stable_sort(all.begin(), all.end(), [](const Series& a, const Series& b) { return a.id < b.id; });
  return all;
}

std::optional<double> one_gpu_time(const Series& series) {
  for (const auto& point : series.points)
    if (point.gpus == 1) return point.iteration_s;
  return series.one_gpu_s;
}

std::vector<SeriesPoint> curve_points(const Series& series) {
  auto points = series.points;
  const bool has_one = !points.empty() && points.front().gpus == 1;
  if (has_one || !series.one_gpu_s) return points;
  SeriesPoint base;
  base.gpus = base.nodes = base.gpus_per_node = 1;
  base.iteration_s = *series.one_gpu_s;
  base.records = series.one_gpu_records;
  points.insert(points.begin(), base);
  return points;
}

} // namespace ddlsim
