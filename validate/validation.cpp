#include "validate/validation.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

std::vector<Series> masked_series(const std::vector<Series>& series, const Split& split) {
  std::vector<Series> masked = series;
  for (auto& one : masked) {
    const auto hidden = [&](const SeriesPoint& point) {
      return std::any_of(point.records.begin(), point.records.end(),
                         [&](RecordIndex record) { return !split.visible_records[record]; });
    };
    one.points.erase(std::remove_if(one.points.begin(), one.points.end(), hidden), one.points.end());
  }
  return masked;
}

ScoredPoint blank_point(const Series& series, const SeriesPoint& at, const Split& split, const Noise& noise) {
  ScoredPoint point;
  point.series = series.id;
  point.file = series.file;
  point.cluster = series.cluster;
  point.model = series.model;
  point.strategy = to_text(at.strategy);
  point.preset = series.preset;
  point.transport = series.transport;
  point.gpus = at.gpus;
  point.nodes = at.nodes;
  point.split = split.name;
  point.left_out = split.left_out;
  point.grade = class_of(at, noise);
  point.measured_s = at.iteration_s;
  return point;
}

void run_split(const Split& split, const std::vector<MeasurementFile>& files, const std::vector<Series>& series,
               const std::vector<Noise>& noise, const std::vector<std::unique_ptr<Method>>& methods,
               std::vector<ScoredPoint>& points) {
  const auto visible = visible_files(files, split);
  const auto known = masked_series(series, split);
  for (const auto& method : methods) method->prepare({split.name, split.left_out, visible, known});
  for (const auto& part : split.parts) {
    for (const auto target : part.targets) {
      const auto& at = series[part.series].points[target];
      auto point = blank_point(series[part.series], at, split, noise[part.series]);
      const Question question{known[part.series], at.gpus, at.nodes, at.gpus_per_node, at.strategy};
      for (const auto& method : methods)
        if (const auto forecast = method->forecast(question)) point.forecasts[method->name()] = *forecast;
      points.push_back(std::move(point));
    }
  }
}

std::vector<SeriesSummary> summarise(const std::vector<Series>& series, const std::vector<Noise>& noise,
                                     const std::vector<Split>& splits) {
  std::vector<SeriesSummary> all;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const auto& one = series[i];
    const auto many = std::count_if(one.points.begin(), one.points.end(), [](const auto& p) { return p.nodes > 1; });
    all.push_back({one.id,
                   one.cluster,
                   one.model,
                   one.strategy,
                   one.preset,
                   one.transport,
                   static_cast<int>(curve_points(one).size()),
                   static_cast<int>(many),
                   noise[i],
                   {}});
  }
  for (const auto& split : splits)
    for (const auto& part : split.parts) all[part.series].splits.push_back(split.name);
  return all;
}

std::vector<const ScoredPoint*> pointers(const std::vector<ScoredPoint>& points) {
  std::vector<const ScoredPoint*> all;
  all.reserve(points.size());
  for (const auto& point : points) all.push_back(&point);
  return all;
}

void score_all(ValidationResult& result, const std::vector<Series>& series, const std::vector<Split>& splits,
               const ValidationOptions& options) {
  const auto points = pointers(result.points);
  const auto pairs = ranked_pairs(series);
  const auto named = std::find(result.methods.begin(), result.methods.end(), options.reference);
  const auto reference = named == result.methods.end() ? result.methods.front() : *named;
  for (const auto& split : split_names()) {
    if (std::none_of(splits.begin(), splits.end(), [&](const Split& one) { return one.name == split; })) continue;
    for (const auto& method : result.methods) {
      result.scores.push_back(score_split(points, split, method, options.bootstrap_draws, options.seed));
      result.rankings.push_back(score_ranking(pairs, series, splits, result.points, split, method));
      if (method != reference)
        result.differences.push_back(compare(points, split, reference, method, options.bootstrap_draws, options.seed));
    }
  }
}

} // namespace

ValidationResult validate_measurements(const std::vector<MeasurementFile>& files,
                                       const std::vector<std::unique_ptr<Method>>& methods,
                                       const ValidationOptions& options) {
  const auto series = group_series(files);
  const auto noise = noise_of(series);
  auto splits = make_splits(files, series);
  if (!options.splits.empty()) {
    splits.erase(std::remove_if(splits.begin(), splits.end(),
                                [&](const Split& split) {
                                  return std::count(options.splits.begin(), options.splits.end(), split.name) == 0;
                                }),
                 splits.end());
  }
  ValidationResult result;
  for (const auto& method : methods) result.methods.push_back(method->name());
  result.series = summarise(series, noise, splits);
  for (const auto& split : splits) run_split(split, files, series, noise, methods, result.points);
  add_residual_intervals(result.points);
  if (!methods.empty()) score_all(result, series, splits, options);
  return result;
}

} // namespace ddlsim
