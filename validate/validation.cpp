#include "validate/validation.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

std::vector<Series> visible_series_of(const std::vector<Series>& series, const Split& split) {
  std::vector<Series> visible = series;
  for (auto& one : visible) {
    const auto hidden = [&](const SeriesPoint& point) {
      return std::any_of(point.records.begin(), point.records.end(),
                         [&](RecordIndex record) { return !split.visible_records[record]; });
    };
    one.points.erase(std::remove_if(one.points.begin(), one.points.end(), hidden), one.points.end());
  }
  return visible;
}

/// Whose points are averaged together: in the splits of a new site those of the site, but for emulated clusters.
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
  point.grade = class_of(at, noise);
  point.measured_s = at.iteration_s;
  return point;
}

Question question_of(const Series& known, const SeriesPoint& at) {
  return {known, at.gpus, at.nodes, at.gpus_per_node, at.strategy};
}

/// T1, T2 and T3: their series are taken apart where they are missed.
bool is_explained(const Split& split) {
  return split.left_out.empty() && split.taken_away == TakenAway::of_cluster;
}

/// Mean error of a method over the points from `first` on, which are of one series; 0 when it answered none.
double mean_error(const std::vector<ScoredPoint>& points, std::size_t first, const std::string& method) {
  double sum = 0;
  int answered = 0;
  for (std::size_t i = first; i < points.size(); ++i) {
    const auto found = points[i].forecasts.find(method);
    if (found == points[i].forecasts.end()) continue;
    sum += error_of(found->second, points[i].measured_s);
    ++answered;
  }
  return answered == 0 ? 0 : sum / answered;
}

/// Asks every method that missed the series by too much for its reasons.
void explain_series(const Split& split, const Series& known, const std::vector<Answered>& targets, std::size_t first,
                    const std::vector<std::unique_ptr<Method>>& methods, ValidationResult& result) {
  for (const auto& method : methods) {
    const double error = mean_error(result.points, first, method->name());
    if (error <= explained_error) continue;
    if (auto why = method->explain(targets))
      result.explained.push_back({split.name, known.id, known.cluster, method->name(), error, std::move(*why)});
  }
}

void ask(const Question& question, const std::vector<std::unique_ptr<Method>>& methods, ScoredPoint& point) {
  for (const auto& method : methods) {
    const auto forecast = method->forecast(question);
    if (!forecast) continue;
    if (forecast->refusal.empty()) point.forecasts[method->name()] = *forecast;
    if (!forecast->refusal.empty()) point.refusals[method->name()] = forecast->refusal;
  }
}

void run_part(const Split& split, const SplitPart& part, const Series& series, const Series& known, const Noise& noise,
              const std::vector<std::unique_ptr<Method>>& methods, const ValidationOptions& options,
              ValidationResult& result) {
  const auto first = result.points.size();
  std::vector<Answered> targets;
  for (const auto target : part.targets) {
    const auto& at = series.points[target];
    auto point = blank_point(series, at, split, noise);
    point.group = group_of(series, split, options);
    targets.push_back({question_of(known, at), at.iteration_s});
    ask(targets.back().question, methods, point);
    result.points.push_back(std::move(point));
  }
  if (is_explained(split)) explain_series(split, known, targets, first, methods, result);
}

void run_split(const Split& split, const std::vector<MeasurementFile>& files, const std::vector<Series>& series,
               const std::vector<Noise>& noise, const std::vector<std::unique_ptr<Method>>& methods,
               const ValidationOptions& options, ValidationResult& result) {
  const auto visible = visible_files(files, split);
  const auto known = visible_series_of(series, split);
  for (const auto& method : methods) method->prepare({split.name, split.left_out, visible, known, split.taken_away});
  const auto first = static_cast<std::ptrdiff_t>(result.explained.size());
  for (const auto& part : split.parts)
    run_part(split, part, series[part.series], known[part.series], noise[part.series], methods, options, result);
  std::stable_sort(result.explained.begin() + first, result.explained.end(),
                   [](const auto& a, const auto& b) { return a.mean_error > b.mean_error; });
}

/// The splits of these names (all when there are none), with the parts of wanted series only.
std::vector<Split> asked_splits(const std::vector<MeasurementFile>& files, const std::vector<Series>& series,
                                const ValidationOptions& options) {
  auto splits = make_splits(files, series);
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

/// In the order of the series; the caller leaves out what is not wanted.
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

void score_all(ValidationResult& result, const std::vector<Series>& series, const std::vector<Split>& splits,
               const ValidationOptions& options) {
  const auto points = pointers(result.points);
  const auto pairs = ranked_pairs(series);
  for (const auto& split : split_names()) {
    if (std::none_of(splits.begin(), splits.end(), [&](const Split& one) { return one.name == split; })) continue;
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
  const auto noise = noise_of(series);
  const auto splits = asked_splits(files, series, options);
  ValidationResult result;
  for (const auto& method : methods) result.methods.push_back(method->name());
  result.series = wanted_summaries(summarise(series, noise, splits), series, options);
  for (const auto& split : splits) run_split(split, files, series, noise, methods, options, result);
  add_residual_intervals(result.points);
  if (methods.empty()) return result;
  const auto named = std::find(result.methods.begin(), result.methods.end(), options.reference);
  result.reference = named == result.methods.end() ? result.methods.front() : *named;
  score_all(result, series, splits, options);
  return result;
}

} // namespace ddlsim
