#include "sim/predict/calibration_info.hpp"

#include "sim/base/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

StrategyFamily family_of(const CalibratedSeries& series) {
  return family_of(strategy_name_in(series.strategy).value_or(StrategyName::all_reduce));
}

std::optional<Algorithm> algorithm_as(StrategyName name, const RunningStrategy& requested) {
  const bool open = name == StrategyName::all_reduce || name == StrategyName::automatic;
  return open ? requested.library_takes : algorithm_of(name);
}

/// Whether the series ran the requested strategy. Most records do not state which algorithm the library chose.
/// "all-reduce" then means the preset's choice, and matches any strategy or record that names the same algorithm.
bool same_strategy(const CalibratedSeries& series, const RunningStrategy& requested) {
  const auto& strategy = requested.strategy;
  const auto name = strategy_name_in(series.strategy);
  const auto measured = name ? algorithm_as(*name, requested) : std::nullopt;
  if (measured && measured == algorithm_as(strategy.name, requested)) return true;
  const bool both_open = name == StrategyName::all_reduce && strategy.name == StrategyName::automatic;
  return both_open || series.strategy == to_text(strategy) || series.strategy == to_text(strategy.name);
}

/// Whether the series ran with the same number of servers, placement and sharding. A series whose servers grew with its
/// nodes states none of these.
bool same_servers(const CalibratedSeries& series, const RunningStrategy& requested) {
  return is_parameter_server(requested.strategy.name) && series.strategy == to_text(requested.strategy);
}

using SeriesOfStack = std::vector<const CalibratedSeries*>;

/// Whether the residuals of the series show the model's error in synchronisation on this cluster. Those of a single GPU
/// do not, because it does not synchronise.
bool is_of_several_gpus(const CalibratedSeries& series) {
  const auto& points = series.points;
  return !series.borrowed &&
         std::any_of(points.begin(), points.end(), [](const CalibratedPoint& point) { return point.gpus > 1; });
}

bool same_stack(const CalibratedSeries& series, const CalibrationScope& scope) {
  return covers(series.scope, scope) && series.scope.transport == scope.transport &&
         series.scope.preset == scope.preset && series.scope.model == scope.model;
}

/// The series of the same stack, model and batch with the same one-GPU time.
SeriesOfStack series_of_batch(const Calibration& calibration, const CalibrationScope& scope) {
  SeriesOfStack found;
  for (const auto& series : calibration.series)
    if (is_of_several_gpus(series) && same_stack(series, scope)) found.push_back(&series);
  return found;
}

/// The series of the same stack and model with other batches and any one-GPU times.
SeriesOfStack series_of_other_batches(const Calibration& calibration, const CalibrationScope& scope) {
  SeriesOfStack found;
  for (const auto& series : calibration.series) {
    auto requested = scope;
    requested.batch_per_gpu = series.scope.batch_per_gpu;
    requested.one_gpu_s = series.scope.one_gpu_s;
    requested.evidence = series.scope.evidence;
    if (requested.batch_per_gpu != scope.batch_per_gpu && is_of_several_gpus(series) && same_stack(series, requested))
      found.push_back(&series);
  }
  return found;
}

/// The series closest to the requested strategy: series with the same servers; if there are none, series of the same
/// strategy; if there are none, all. The strategies of a stack share one model error.
SeriesOfStack nearest_series(const SeriesOfStack& of_stack, const RunningStrategy& requested) {
  for (const auto& is_near : {same_servers, same_strategy}) {
    SeriesOfStack near;
    for (const auto* series : of_stack)
      if (is_near(*series, requested)) near.push_back(series);
    if (!near.empty()) return near;
  }
  return of_stack;
}

/// Whether the id CLUSTER/FILE/NAME has this series name. If several series have the name, the id continues with what
/// distinguishes them.
bool is_named(const CalibratedSeries& series, const std::string& name) {
  const auto start = series.id.find('/', series.id.find('/') + 1);
  if (start == std::string::npos || name.empty()) return false;
  const auto rest = series.id.substr(start + 1);
  return rest == name || rest.rfind(name + ' ', 0) == 0;
}

int most_nodes(const CalibratedSeries& series) {
  int nodes = 0;
  for (const auto& point : series.points) nodes = std::max(nodes, point.nodes);
  return nodes;
}

/// The series that the scenario names; all series if others were measured on more nodes.
SeriesOfStack series_meant(const SeriesOfStack& near, const std::string& name) {
  SeriesOfStack meant;
  int nodes = 0;
  for (const auto* series : near) {
    nodes = std::max(nodes, most_nodes(*series));
    if (is_named(*series, name)) meant.push_back(series);
  }
  const bool reaches =
      std::any_of(meant.begin(), meant.end(), [&](const auto* one) { return most_nodes(*one) == nodes; });
  return reaches ? meant : near;
}

/// Adds the residuals of a stack's series.
void add_residuals(CalibrationInfo& info, const SeriesOfStack& of_stack, const RunningStrategy& requested,
                   const std::string& meant) {
  const auto used = series_meant(nearest_series(of_stack, requested), meant);
  if (!used.empty()) info.largest_gpus = 0;
  for (const auto* series : used) {
    info.residual_process.spread = std::max(info.residual_process.spread, series->spread);
    for (const auto& point : series->points) {
      info.own.push_back({{point.gpus, point.nodes, 0, 0, series->scope.batch_per_gpu}, point.residual, point.noise});
      info.largest_gpus = std::max(info.largest_gpus, point.gpus);
    }
  }
}

/// Raises the spread across nodes to at least the error of the model's form. Residuals measured inside a node do not
/// narrow it, because paths there are different. Model parallelism uses the prior's width, because layouts that were
/// left out of a fit showed no such error.
void widen_across_nodes(CalibrationInfo& info, StrategyName requested, const ModelConstants& constants,
                        double of_prior) {
  const bool unseen = info.largest_nodes <= 1 && info.largest_donor_nodes <= 1;
  if (unseen) info.least_across_nodes = is_model_parallel(requested) ? of_prior : constants.model_form_across_nodes;
}

} // namespace

CalibrationInfo calibration_info_of(const Calibration& calibration, const PosteriorQuestion& question,
                                    const RunningStrategy& requested, const ModelConstants& constants,
                                    double of_prior) {
  const auto& scope = question.scope;
  CalibrationInfo info;
  info.any = true;
  info.residual_process = residual_process_of(constants);
  info.line_share = constants.line_share;
  info.line_fade = constants.line_fade;
  for (const int at : calibrated_fields(calibration, question)) {
    const auto* one = at >= 0 ? &calibration.parameters[static_cast<std::size_t>(at)] : nullptr;
    info.identified.push_back(one != nullptr && one->identified);
    info.borrowed.push_back(one != nullptr && one->identified && one->borrowed_points == one->points);
    info.points.push_back(one != nullptr ? one->points : 0);
  }
  std::vector<double> noises; // noises of the measurements on this cluster
  for (const auto& series : calibration.series) {
    if (series.scope.transport != scope.transport) continue;
    if (family_of(series) != family_of(requested.strategy.name)) continue;
    int& largest_nodes = series.borrowed ? info.largest_donor_nodes : info.largest_nodes;
    for (const auto& point : series.points) {
      largest_nodes = std::max(largest_nodes, point.nodes);
      if (series.borrowed) continue;
      info.largest_gpus = std::max(info.largest_gpus, point.gpus);
      noises.push_back(point.noise);
    }
  }
  info.measurement_noise = noises.empty() ? constants.unstated_noise : quantile(noises, 0.5);
  auto of_stack = series_of_batch(calibration, scope);
  info.residual_process.spread = of_stack.empty() ? of_prior : 0;
  info.of_other_batches = of_stack.empty();
  if (of_stack.empty() && constants.residual_of_other_batches > 0)
    of_stack = series_of_other_batches(calibration, scope);
  add_residuals(info, of_stack, requested, question.series);
  widen_across_nodes(info, requested.strategy.name, constants, of_prior);
  return info;
}

} // namespace ddlsim
