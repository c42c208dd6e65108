#include "calibrate/fit/step_problem.hpp"

#include "sim/base/linear_algebra.hpp"
#include "sim/base/threads.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// Step of the difference quotients, in standard deviations of the prior. The gradient fusion cycle makes the iteration
/// time a step function of some parameters, of which a smaller difference would see a single step.
constexpr double difference_step = 0.1;
/// Derivative of ln time for each standard deviation below which it is not computed at the next few iterates.
constexpr double negligible_slope = 3e-4;
constexpr int look_again_after = 4; ///< number of iterates

/// Lower Cholesky factor of the covariance of a series' log residuals.
Eigen::MatrixXd noise_factor(const std::vector<DataPoint>& points, const ResidualProcess& process, double scale) {
  const auto count = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd among(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& a = points[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < count; ++j) {
      const auto& b = points[static_cast<std::size_t>(j)];
      among(i, j) = covariance(process, {a.gpus, a.nodes}, {b.gpus, b.nodes});
    }
    among(i, i) += scale * scale * a.noise * a.noise;
  }
  return factor_of_covariance(among);
}

/// Whitens columns of values whose order is that of the rows.
void whiten(const StepProblem& problem, const std::vector<SeriesData>& series, Eigen::Ref<Eigen::MatrixXd> columns) {
  Eigen::Index first = 0;
  for (std::size_t s = 0; s < series.size(); ++s) {
    const auto& points = series[s].points;
    const auto count = static_cast<Eigen::Index>(points.size());
    if (count == 0) continue;
    if (series[s].excluded.empty()) {
      const auto factor = noise_factor(points, problem.residual_process_of(s), problem.scale(noise_group(series[s])));
      for (Eigen::Index c = 0; c < columns.cols(); ++c) {
        auto own = columns.col(c).segment(first, count);
        own = solve_lower(factor, own);
      }
    } else {
      columns.middleRows(first, count).setZero();
    }
    first += count;
  }
}

} // namespace

std::string noise_group(const SeriesData& series) {
  return series.scope.transport + (is_transfer(series) ? " alone" : "");
}

StepProblem::StepProblem(const std::vector<SeriesData>& series, const StepFitOptions& options)
    : series_(series), options_(options), free_parameters_(find_free_parameters(series)),
      algorithm_choices_(series, options.constants.algorithm_likelihood_share), own_(series.size(), 1) {
  for (std::size_t s = 0; s < series.size(); ++s) {
    scale_[noise_group(series[s])] = 1;
    for (std::size_t p = 0; p < series[s].points.size(); ++p) {
      rows_.push_back({s, p});
      models_.emplace_back(series[s], series[s].points[p]);
    }
  }
}

ResidualProcess StepProblem::residual_process_of(std::size_t series) const {
  auto process = options_.residual_process();
  process.spread *= scale(noise_group(series_[series])) * own_[series];
  return process;
}

std::vector<double> StepProblem::log_residuals(const std::vector<double>& z_scores) {
  std::vector<double> found(rows_.size());
  each_row([&](std::size_t r) { found[r] = std::log(measured_s(r) / models_[r].time_s(sample_of(r, z_scores))); });
  return found;
}

std::vector<double> StepProblem::whitened_residuals(const std::vector<double>& z_scores) {
  auto found = log_residuals(z_scores);
  whiten(*this, series_, Eigen::Map<Eigen::VectorXd>(found.data(), static_cast<Eigen::Index>(found.size())));
  return found;
}

Matrix StepProblem::log_residual_slopes(const std::vector<double>& z_scores, const SlopeMask& mask) {
  Matrix slopes(rows_.size(), z_scores.size());
  each_row([&](std::size_t r) { differentiate(r, z_scores, mask[r], slopes); });
  return slopes;
}

Matrix StepProblem::whiten_slopes(Matrix log_residual_slopes) const {
  Eigen::Map<Eigen::MatrixXd> columns(log_residual_slopes.values.data(),
                                      static_cast<Eigen::Index>(log_residual_slopes.rows),
                                      static_cast<Eigen::Index>(log_residual_slopes.columns));
  whiten(*this, series_, columns);
  return log_residual_slopes;
}

SlopeMask StepProblem::all_slopes() const {
  return SlopeMask(rows_.size(), std::vector<char>(free_parameters_.all.size(), 1));
}

Parameters StepProblem::sample_of(std::size_t row, const std::vector<double>& z_scores) const {
  const std::size_t series = rows_[row].series;
  auto sample = sample_at(free_parameters_, series_[series], series, z_scores);
  algorithm_choices_.put(series, sample);
  return sample;
}

double StepProblem::measured_s(std::size_t row) const {
  return series_[rows_[row].series].points[rows_[row].point].measured_s;
}

/// Times the step at the sample itself first. That costs little, because whitened_residuals() was usually called there
/// before. For the changed samples, only the parts that the changed parameter affects are simulated.
void StepProblem::differentiate(std::size_t row, const std::vector<double>& z_scores, const std::vector<char>& mask,
                                Matrix& slopes) {
  const auto& fit_data = series_[rows_[row].series];
  const auto& of_fields = free_parameters_.of_series[rows_[row].series];
  const auto fields = parameter_fields();
  const auto sample = sample_of(row, z_scores);
  models_[row].time_s(sample);
  const auto log_residual_at = [&](std::size_t k, double z_score) {
    auto moved = sample;
    moved.*fields[k].value = prior_value(fit_data.priors[k], z_score);
    return std::log(measured_s(row) / models_[row].time_without_caching_s(moved));
  };
  for (std::size_t k = 0; k < of_fields.size(); ++k) {
    if (of_fields[k] < 0) continue;
    const auto column = static_cast<std::size_t>(of_fields[k]);
    if (!mask[column]) continue;
    const double above = log_residual_at(k, z_scores[column] + difference_step);
    const double below = log_residual_at(k, z_scores[column] - difference_step);
    slopes(row, column) = (above - below) / (2 * difference_step);
  }
}

/// Rows differ in cost, so each thread takes the next free row.
void StepProblem::each_row(const std::function<void(std::size_t)>& work) const {
  for_each_number(rows_.size(), options_.threads, work);
}

Matrix SlopeFollower::next(const std::vector<double>& z_scores) {
  const bool look = places_++ % look_again_after == 0;
  auto slopes = problem_.log_residual_slopes(z_scores, look ? problem_.all_slopes() : followed_);
  if (look) {
    followed_ = problem_.all_slopes();
    for (std::size_t r = 0; r < slopes.rows; ++r)
      for (std::size_t c = 0; c < slopes.columns; ++c)
        followed_[r][c] = std::abs(slopes(r, c)) > negligible_slope ? 1 : 0;
  }
  return problem_.whiten_slopes(std::move(slopes));
}

} // namespace ddlsim
