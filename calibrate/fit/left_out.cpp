#include "calibrate/fit/left_out.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ddlsim {
namespace {

/// Positions of series in the fit's list.
using SeriesNumbers = std::vector<std::size_t>;

/// The series whose predictions are scored: steps, or transfers where a cluster has no steps.
SeriesNumbers scored_series(const std::vector<SeriesData>& series) {
  const auto counts = [&](const SeriesData& one, bool transfers) {
    return !one.borrowed && one.excluded.empty() && !one.points.empty() && is_transfer(one) == transfers;
  };
  const bool transfers =
      std::none_of(series.begin(), series.end(), [&](const SeriesData& one) { return counts(one, false); });
  SeriesNumbers scored;
  for (std::size_t s = 0; s < series.size(); ++s)
    if (counts(series[s], transfers)) scored.push_back(s);
  return scored;
}

bool is_of_several_gpus(const DataPoint& point) {
  return point.gpus > 1;
}

/// Step series on several GPUs, by model. Series without a measured one-GPU time are left out, because that time is
/// uncertain itself.
std::map<std::string, SeriesNumbers> by_model(const SeriesNumbers& scored, const std::vector<SeriesData>& series) {
  std::map<std::string, SeriesNumbers> models;
  for (const std::size_t s : scored) {
    const auto& points = series[s].points;
    if (is_transfer(series[s]) || series[s].compute_prior != "compute_measured") continue;
    if (std::any_of(points.begin(), points.end(), is_of_several_gpus)) models[series[s].scope.model].push_back(s);
  }
  return models;
}

/// ln(measured / model) of the points of these series on `least_gpus` GPUs or more, by a fit without these series.
std::vector<double> log_residuals_without(const SeriesNumbers& left_out, int least_gpus, StepProblem& problem,
                                          const RobustProblem& robust, const RobustFit& fit,
                                          const std::vector<SeriesData>& series) {
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < problem.rows().size(); ++r)
    if (std::find(left_out.begin(), left_out.end(), problem.rows()[r].series) != left_out.end()) rows.push_back(r);
  const auto z_scores = unknowns_without(robust, fit, rows);
  std::vector<double> log_residuals;
  for (const std::size_t s : left_out) {
    auto sample = sample_at(problem.free_parameters(), series[s], s, z_scores);
    problem.algorithm_choices().put(s, sample);
    for (const auto& point : series[s].points)
      if (point.gpus >= least_gpus)
        log_residuals.push_back(std::log(point.measured_s / model_time_s(series[s], point, sample)));
  }
  return log_residuals;
}

double mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

} // namespace

void add_left_out(CalibrationQuality& quality, StepProblem& problem, const RobustProblem& robust, const RobustFit& fit,
                  const std::vector<SeriesData>& series) {
  const auto scored = scored_series(series);
  double sum = 0;
  for (const std::size_t s : scored) {
    const auto log_residuals = log_residuals_without({s}, 1, problem, robust, fit, series);
    for (const double log_residual : log_residuals) sum += std::abs(log_residual);
    quality.leave_one_out_points += static_cast<int>(log_residuals.size());
  }
  if (sum > 0) quality.leave_one_out_error = sum / quality.leave_one_out_points;
  const auto models = by_model(scored, series);
  if (models.size() < 2) return; // without its only model the cluster would have no records
  double squares = 0;
  for (const auto& [model, its_series] : models)
    squares += mean_square(log_residuals_without(its_series, 2, problem, robust, fit, series));
  quality.unmeasured_models = static_cast<int>(models.size());
  quality.unmeasured_model_error = std::sqrt(squares / quality.unmeasured_models);
}

} // namespace ddlsim
