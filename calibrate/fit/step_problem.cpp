#include "calibrate/fit/step_problem.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>

namespace ddlsim {
namespace {

/// Step of a difference quotient, in prior standard deviations: a fusion cycle makes the iteration a staircase in some
/// parameters, and a smaller step would see a stair.
constexpr double difference_step = 0.1;
/// A derivative smaller than this (of ln time, a standard deviation) is not followed for some steps.
constexpr double negligible_slope = 3e-4;
constexpr int look_again_after = 4; ///< steps

} // namespace

std::string noise_group(const SeriesData& series) {
  return series.scope.transport + (is_transfer(series) ? " alone" : "");
}

StepProblem::StepProblem(const std::vector<SeriesData>& series, const StepFitOptions& options)
    : series_(series), options_(options), free_parameters_(find_free_parameters(series)), algorithm_choices_(series),
      own_(series.size(), 1) {
  for (std::size_t s = 0; s < series.size(); ++s) {
    scale_[noise_group(series[s])] = 1;
    for (std::size_t p = 0; p < series[s].points.size(); ++p) {
      rows_.push_back({s, p});
      models_.emplace_back(series[s], series[s].points[p]);
    }
  }
  active_.assign(rows_.size(), std::vector<char>(parameter_fields().size(), 1));
}

ResidualProcess StepProblem::alpha_beta_of(std::size_t series) const {
  ResidualProcess alpha_beta = options_.alpha_beta;
  alpha_beta.spread *= scale(noise_group(series_[series])) * own_[series];
  return alpha_beta;
}

Eigen::VectorXd StepProblem::misses(const Eigen::VectorXd& z_scores) {
  Eigen::VectorXd found(static_cast<Eigen::Index>(rows_.size()));
  each_row([&](std::size_t r) {
    found(static_cast<Eigen::Index>(r)) = std::log(measured_s(r) / models_[r].time_s(sample_of(r, z_scores)));
  });
  return found;
}

Eigen::VectorXd StepProblem::residuals(const Eigen::VectorXd& z_scores) {
  Eigen::VectorXd whitened = misses(z_scores);
  whiten(noise_factors(), whitened);
  return whitened;
}

Eigen::MatrixXd StepProblem::jacobian(const Eigen::VectorXd& z_scores) {
  const bool all = looks_++ % look_again_after == 0;
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows_.size()), z_scores.size());
  each_row([&](std::size_t r) { differentiate(r, z_scores, all, slopes); });
  const auto factors = noise_factors();
  for (Eigen::Index c = 0; c < slopes.cols(); ++c) whiten(factors, slopes.col(c));
  return slopes;
}

Parameters StepProblem::sample_of(std::size_t row, const Eigen::VectorXd& z_scores) const {
  const std::size_t series = rows_[row].series;
  auto sample = sample_at(free_parameters_, series_[series], series, z_scores);
  sample.algorithm_draw = algorithm_choices_.draw_of(series);
  return sample;
}

double StepProblem::measured_s(std::size_t row) const {
  return series_[rows_[row].series].points[rows_[row].point].measured_s;
}

/// Only what a moved parameter changes is run: the row's model still knows the sample that residuals() was last asked
/// in, which is mostly the one here.
void StepProblem::differentiate(std::size_t row, const Eigen::VectorXd& z_scores, bool all, Eigen::MatrixXd& slopes) {
  const auto& fit_data = series_[rows_[row].series];
  const auto& of_fields = free_parameters_.of_series[rows_[row].series];
  const auto fields = parameter_fields();
  const auto sample = sample_of(row, z_scores);
  const auto miss_at = [&](std::size_t k, double z_score) {
    auto moved = sample;
    moved.*fields[k].value = prior_value(fit_data.priors[k], z_score);
    return std::log(measured_s(row) / models_[row].time_without_caching_s(moved));
  };
  for (std::size_t k = 0; k < of_fields.size(); ++k) {
    if (of_fields[k] < 0 || !(all || active_[row][k])) continue;
    const double above = miss_at(k, z_scores(of_fields[k]) + difference_step);
    const double below = miss_at(k, z_scores(of_fields[k]) - difference_step);
    const double slope = (above - below) / (2 * difference_step);
    slopes(static_cast<Eigen::Index>(row), of_fields[k]) = slope;
    if (all) active_[row][k] = std::abs(slope) > negligible_slope;
  }
}

/// Of each series' covariance; none for a series without points or set aside.
std::vector<StepProblem::Factor> StepProblem::noise_factors() const {
  std::vector<Factor> factors(series_.size());
  for (std::size_t s = 0; s < series_.size(); ++s) {
    const auto& points = series_[s].points;
    if (points.empty() || !series_[s].excluded.empty()) continue;
    const auto count = static_cast<Eigen::Index>(points.size());
    const auto alpha_beta = alpha_beta_of(s);
    const double scale = this->scale(noise_group(series_[s]));
    Eigen::MatrixXd among(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto& a = points[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j < count; ++j) {
        const auto& b = points[static_cast<std::size_t>(j)];
        among(i, j) = covariance(alpha_beta, {a.gpus, a.nodes}, {b.gpus, b.nodes});
      }
      among(i, i) += scale * scale * a.noise * a.noise;
    }
    factors[s].compute(among);
  }
  return factors;
}

void StepProblem::whiten(const std::vector<Factor>& factors, Eigen::Ref<Eigen::VectorXd> rows) const {
  Eigen::Index first = 0;
  for (std::size_t s = 0; s < series_.size(); ++s) {
    const auto count = static_cast<Eigen::Index>(series_[s].points.size());
    auto own = rows.segment(first, count);
    first += count;
    if (count == 0) continue;
    if (series_[s].excluded.empty()) {
      own = factors[s].matrixL().solve(own);
    } else {
      own.setZero();
    }
  }
}

/// Rows differ much in what they cost, so each thread takes the next that nobody has.
void StepProblem::each_row(const std::function<void(std::size_t)>& work) const {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t r = next++; r < rows_.size(); r = next++) work(r);
  };
  std::vector<std::future<void>> others;
  for (int t = 1; t < options_.threads; ++t) others.push_back(std::async(std::launch::async, take));
  take();
  for (auto& other : others) other.get();
}

} // namespace ddlsim
