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

struct LocatedStep {
  const StepRecord* step = nullptr;
  const MeasurementFile* file = nullptr;
  RecordIndex index = 0;
};

/// The fields in which records of one series, and one-GPU runs that belong to it, agree.
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
  std::string training; ///< training_text()
  auto operator<=>(const GroupKey&) const = default;
};

GroupKey key_of(const LocatedStep& located) {
  const auto& step = *located.step;
  return {located.file->context.cluster,
          located.file->file.string(),
          step.head.series,
          step.head.gpu,
          step.head.device,
          step.model,
          step.precision,
          step.batch_per_gpu,
          step.data,
          step.preset,
          training_text(step.train, step.document_tokens)};
}

bool is_base(const StepRecord& step) {
  return step.gpus == 1 && (!step.synchronised || step.strategy.name == StrategyName::none);
}

/// How gradients are sent, which distinguishes the series of one group. One-GPU records need not name a transport.
struct Route {
  StrategyName strategy = StrategyName::none;
  std::string transport;
  std::string whole_strategy{}; ///< text of the strategy, if one scale was measured under two strategies of this name
  auto operator<=>(const Route&) const = default;
};

std::map<GroupKey, std::vector<LocatedStep>> by_key(const std::vector<MeasurementFile>& files) {
  std::map<GroupKey, std::vector<LocatedStep>> groups;
  RecordIndex index = 0;
  for (const auto& file : files) {
    for (const auto& record : file.records) {
      const LocatedStep located{std::get_if<StepRecord>(&record), &file, index++};
      if (located.step != nullptr && located.step->mode == RunMode::train) groups[key_of(located)].push_back(located);
    }
  }
  return groups;
}

/// Whether some scale of the group was measured under two strategies. They are then two experiments.
bool strategies_collide(const std::vector<LocatedStep>& group) {
  std::map<std::pair<int, int>, std::set<std::string>> at_scale;
  for (const auto& located : group)
    at_scale[{located.step->gpus, located.step->nodes}].insert(to_text(located.step->strategy));
  return std::any_of(at_scale.begin(), at_scale.end(), [](const auto& one) { return one.second.size() > 1; });
}

/// The records of one group, by route.
std::map<Route, std::vector<LocatedStep>> by_route(const std::vector<LocatedStep>& group) {
  std::map<Route, std::vector<LocatedStep>> routes;
  for (const auto& located : group)
    if (!is_base(*located.step)) routes[{located.step->strategy.name, located.step->head.transport}].push_back(located);
  std::map<Route, std::vector<LocatedStep>> split;
  for (const auto& [route, members] : routes) {
    const bool collide = strategies_collide(members);
    for (const auto& located : members)
      split[{route.strategy, route.transport, collide ? to_text(located.step->strategy) : ""}].push_back(located);
  }
  return split;
}

std::vector<LocatedStep> preferred(const std::vector<LocatedStep>& same_scale) {
  std::vector<LocatedStep> trusted;
  for (const auto& located : same_scale)
    if (!located.step->head.suspect) trusted.push_back(located);
  return trusted.empty() ? same_scale : trusted;
}

SeriesPoint make_point(const std::vector<LocatedStep>& same_scale) {
  const auto chosen = preferred(same_scale);
  const auto& first = *chosen.front().step;
  std::vector<double> times;
  SeriesPoint point;
  for (const auto& located : chosen) {
    times.push_back(located.step->iteration_s);
    point.relative_spread = std::max(point.relative_spread, located.step->head.relative_spread);
    point.repeats = std::max(point.repeats, located.step->head.repeats);
    point.records.push_back(located.index);
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

std::vector<SeriesPoint> make_points(const std::vector<LocatedStep>& members) {
  std::map<std::pair<int, int>, std::vector<LocatedStep>> at_scale;
  for (const auto& located : members) at_scale[{located.step->gpus, located.step->nodes}].push_back(located);
  std::vector<SeriesPoint> points;
  points.reserve(at_scale.size());
  for (const auto& [scale, same] : at_scale) points.push_back(make_point(same));
  return points;
}

void set_base(Series& series, const std::vector<LocatedStep>& group) {
  std::vector<LocatedStep> base;
  for (const auto& located : group)
    if (is_base(*located.step)) base.push_back(located);
  if (base.empty()) return;
  std::vector<double> times;
  for (const auto& located : preferred(base)) {
    times.push_back(located.step->iteration_s);
    series.one_gpu_records.push_back(located.index);
  }
  series.one_gpu_s = median(times);
}

std::string strategy_text(const std::vector<LocatedStep>& members) {
  std::set<std::string> texts;
  for (const auto& located : members) texts.insert(to_text(located.step->strategy));
  return texts.size() == 1 ? *texts.begin() : to_text(members.front().step->strategy.name);
}

Series make_series(const std::vector<LocatedStep>& members, const std::vector<LocatedStep>& group) {
  const auto& located = members.front();
  const auto& step = *located.step;
  Series series;
  series.file = located.file->file.stem().string();
  series.name = step.head.series;
  series.cluster = located.file->context.cluster;
  series.gpu = step.head.gpu;
  series.device = step.head.device;
  series.model = step.model;
  series.precision = step.precision;
  series.wire_precision = step.wire_precision;
  series.batch_per_gpu = step.batch_per_gpu;
  series.train = step.train;
  series.document_tokens = step.document_tokens;
  series.data = step.data;
  series.strategy = strategy_text(members);
  series.strategy_name = step.strategy.name;
  series.preset = step.preset;
  series.transport = step.head.transport;
  series.emulated = located.file->context.emulated;
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
  std::map<std::string, int> located;
  for (auto& series : all)
    if (const int again = ++located[series.id]; again > 1) series.id += fmt::format(" #{}", again);
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
