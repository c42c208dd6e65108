#include "validate/validation.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

/// Returns the group whose points are averaged together: the cluster; in the splits of a new site the cluster's site,
/// except for emulated clusters.
std::string group_of(const Series& series, const Split& split, const ValidationOptions& options) {
  const auto site = options.site_of.find(series.cluster);
  const bool by_site = is_new_site(split.name) && !series.emulated && site != options.site_of.end();
  return by_site ? site->second : series.cluster;
}

ScoredPoint blank_point(const Series& series, const SeriesPoint& at, const Split& split, const Noise& noise) {
  ScoredPoint point;
  point.series = series.id;
  point.file = series.file;
  point.cluster = series.cluster;
  point.emulated = series.emulated;
  point.model = series.model;
  point.strategy = to_text(at.strategy);
  point.preset = series.preset;
  point.transport = series.transport;
  point.gpus = at.gpus;
  point.nodes = at.nodes;
  point.split = split.name;
  point.left_out = split.left_out;
  point.grade = noise.grade;
  point.measured_s = at.iteration_s;
  return point;
}

/// Adds a method's forecasts to the answers or to the refusals.
void put_forecasts(const std::map<std::string, Forecast>& forecasts, ScoredPoint& point) {
  for (const auto& [method, forecast] : forecasts) {
    if (forecast.refusal.empty()) point.forecasts[method] = forecast;
    if (!forecast.refusal.empty()) point.refusals[method] = forecast.refusal;
  }
}

void add_part(const Split& split, const SplitPart& part, const Series& series, const Noise& noise,
              const PartAnswers& answers, const ValidationOptions& options, ValidationResult& result) {
  for (std::size_t i = 0; i < part.targets.size(); ++i) {
    auto point = blank_point(series, series.points[part.targets[i]], split, noise);
    const auto site = options.site_of.find(series.cluster);
    point.group = group_of(series, split, options);
    point.site = site == options.site_of.end() ? series.cluster : site->second;
    put_forecasts(answers.forecasts[i], point);
    result.points.push_back(std::move(point));
  }
  for (const auto& large_error : answers.large_errors)
    result.explained.push_back(
        {split.name, series.id, series.cluster, large_error.method, large_error.mean_error, large_error.why});
}

void add_split(const Split& split, const std::vector<Series>& series, const std::vector<Noise>& noise,
               const std::vector<PartAnswers>& answers, const ValidationOptions& options, ValidationResult& result) {
  const auto first = static_cast<std::ptrdiff_t>(result.explained.size());
  for (std::size_t i = 0; i < split.parts.size(); ++i) {
    const auto& part = split.parts[i];
    add_part(split, part, series[part.series], noise[part.series], answers[i], options, result);
  }
  std::stable_sort(result.explained.begin() + first, result.explained.end(),
                   [](const auto& a, const auto& b) { return a.mean_error > b.mean_error; });
}

/// Returns the splits of these names (all splits if there are none), with only the parts of wanted series.
std::vector<Split> selected_splits(const std::vector<MeasurementFile>& files, const std::vector<Series>& series,
                                   const ValidationOptions& options) {
  auto splits = make_splits(files, series, options.site_of);
  const auto& names = options.splits;
  if (!names.empty())
    std::erase_if(splits, [&](const Split& one) { return std::count(names.begin(), names.end(), one.name) == 0; });
  if (options.wanted) {
    for (auto& split : splits)
      std::erase_if(split.parts, [&](const SplitPart& part) { return !options.wanted(series[part.series]); });
    std::erase_if(splits, [](const Split& one) { return one.parts.empty(); });
  }
  return splits;
}

/// Returns the summaries in the order of the series. The caller removes those that it does not want.
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

std::vector<SeriesSummary> wanted_summaries(std::vector<SeriesSummary> all, const std::vector<Series>& series,
                                            const ValidationOptions& options) {
  if (!options.wanted) return all;
  std::vector<SeriesSummary> kept;
  for (std::size_t i = 0; i < series.size(); ++i)
    if (options.wanted(series[i])) kept.push_back(std::move(all[i]));
  return kept;
}

std::vector<const ScoredPoint*> pointers(const std::vector<ScoredPoint>& points) {
  std::vector<const ScoredPoint*> all;
  all.reserve(points.size());
  for (const auto& point : points) all.push_back(&point);
  return all;
}

std::vector<std::string> names_of(const std::vector<Split>& splits) {
  std::vector<std::string> names;
  for (const auto& split : splits)
    // splits of one name follow each other
    if (names.empty() || names.back() != split.name) names.push_back(split.name);
  return names;
}

void score_all(ValidationResult& result, const std::vector<Series>& series, const std::vector<Split>& splits,
               const ValidationOptions& options) {
  const auto points = pointers(result.points);
  const auto pairs = ranked_pairs(series);
  for (const auto& split : names_of(splits)) {
    for (const auto& method : result.methods) {
      result.scores.push_back(score_split(points, split, method, options.bootstrap_draws, options.seed));
      result.rankings.push_back(score_ranking(pairs, series, splits, result.points, split, method));
      if (method != result.reference) {
        result.differences.push_back(
            compare(points, split, result.reference, method, options.bootstrap_draws, options.seed));
      }
    }
  }
}

} // namespace

ValidationResult validate_measurements(const std::vector<MeasurementFile>& files,
                                       const std::vector<std::unique_ptr<Method>>& methods,
                                       const ValidationOptions& options) {
  const auto series = group_series(files);
  return validate_splits(files, series, selected_splits(files, series, options), methods, options);
}

ValidationResult validate_splits(const std::vector<MeasurementFile>& files, const std::vector<Series>& series,
                                 const std::vector<Split>& splits, const std::vector<std::unique_ptr<Method>>& methods,
                                 const ValidationOptions& options) {
  const auto noise = noise_of(series);
  ValidationResult result;
  for (const auto& method : methods) result.methods.push_back(method->name());
  result.series = wanted_summaries(summarise(series, noise, splits), series, options);
  const auto answers = run_methods({files, series, splits, methods}, options.run_tasks);
  for (std::size_t i = 0; i < splits.size(); ++i) add_split(splits[i], series, noise, answers[i], options, result);
  add_residual_intervals(result.points);
  if (methods.empty()) return result;
  const auto named = std::find(result.methods.begin(), result.methods.end(), options.reference);
  result.reference = named == result.methods.end() ? result.methods.front() : *named;
  score_all(result, series, splits, options);
  return result;
}

} // namespace ddlsim
