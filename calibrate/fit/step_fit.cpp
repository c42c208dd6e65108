#include "calibrate/fit/step_fit.hpp"

#include "calibrate/fit/left_out.hpp"
#include "calibrate/fit/step_problem.hpp"
#include "sim/base/robust_fit.hpp"
#include "sim/predict/posterior.hpp"
#include "sim/predict/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ddlsim {
namespace {

/// Rescales each group's noise by the root mean square of its whitened residuals, with a prior that counts as four
/// residuals of exactly 1. A residual in the tails counts with its robust weight. The leverage of a point, which is the
/// share of its variance that the fit absorbed, is added back. Without it, twenty points and ten parameters would give
/// a fifth too little noise.
void estimate_noise(StepProblem& problem, const std::vector<SeriesData>& series, const std::vector<double>& residuals,
                    const std::vector<double>& leverage) {
  constexpr double prior_count = 4;
  std::map<std::string, std::pair<double, double>> sums; // sums of weighted squares and of their expected values
  for (std::size_t r = 0; r < problem.rows().size(); ++r) {
    if (!series[problem.rows()[r].series].excluded.empty()) continue;
    const double residual = residuals[r];
    auto& [squares, count] = sums[noise_group(series[problem.rows()[r].series])];
    // The mean of x^2 / (1 + x^2 / 4) of a standard normal x: 4 (1 - sqrt(2 pi) exp(2) erfc(sqrt(2))) = 0.63. Division
    // by it gives 1 for residuals that are as large as assumed.
    constexpr double of_normal = 0.63;
    squares += weight_of(Loss::student_t3, residual) * residual * residual / of_normal;
    count += 1 - leverage[r];
  }
  constexpr double least_scale = 0.5; // least scale; points that agree more do so by chance
  constexpr double most_scale = 9;    // largest scale; above it a group has no weight
  for (const auto& [group, sum] : sums) {
    const double ratio = std::sqrt((prior_count + sum.first) / (prior_count + sum.second));
    problem.set_scale(group, std::clamp(problem.scale(group) * ratio, least_scale, most_scale));
  }
}

/// Gives a series that no parameter explains a larger noise of its own. Then it does not distort the parameters, and
/// its intervals at other scales are wide. The prior counts as three residuals of exactly 1.
void estimate_series_spread(StepProblem& problem, const std::vector<SeriesData>& series,
                            const std::vector<double>& residuals) {
  constexpr double prior_count = 3;
  // factor on the usual noise for an excluded series, so that predictions of it follow its own points only
  constexpr double excluded_spread = 10;
  std::vector<double> squares(series.size(), 0);
  for (std::size_t r = 0; r < problem.rows().size(); ++r) {
    const double residual = residuals[r];
    squares[problem.rows()[r].series] += residual * residual;
  }
  for (std::size_t s = 0; s < series.size(); ++s) {
    const double count = static_cast<double>(series[s].points.size());
    if (!series[s].excluded.empty()) problem.set_own(s, excluded_spread);
    if (!series[s].excluded.empty()) continue;
    problem.set_own(s, std::max(1.0, std::sqrt((prior_count + squares[s]) / (prior_count + count))));
  }
}

/// Tries every other algorithm of every undecided choice, one choice after another, with a few steps of a fit that
/// begins at the present one. It keeps the algorithm with the largest weight: prior weight x exp(-share of the
/// likelihood x cost).
RobustFit choose_algorithms(StepProblem& problem, const RobustProblem& robust, RobustFit fit) {
  constexpr int few_steps = 3;
  auto& algorithm_choices = problem.algorithm_choices();
  for (std::size_t f = 0; f < algorithm_choices.count(); ++f) {
    const std::size_t stood = algorithm_choices.chosen(f);
    std::size_t best = stood;
    RobustFit best_fit = fit;
    algorithm_choices.set_cost(f, stood, fit.cost);
    for (std::size_t choice = 0; choice < algorithm_choices.choices(f).size(); ++choice) {
      if (choice == stood) continue;
      algorithm_choices.choose(f, choice);
      const auto tried = fit_robust(robust, fit.unknowns, {few_steps, 1e-2});
      algorithm_choices.set_cost(f, choice, tried.cost);
      if (algorithm_choices.weight(f, choice) <= algorithm_choices.weight(f, best)) continue;
      best = choice;
      best_fit = tried;
    }
    algorithm_choices.choose(f, best);
    fit = best_fit;
  }
  return fit;
}

void add_parameters(Calibration& calibration, const StepProblem& problem, const std::vector<std::size_t>& informed,
                    const std::vector<double>& z_scores, const Matrix& covariance,
                    const std::vector<SeriesData>& series) {
  const auto& free_parameters = problem.free_parameters();
  for (std::size_t row = 0; row < informed.size(); ++row) {
    const std::size_t i = informed[row];
    CalibratedParameter one;
    one.name = parameter_fields()[free_parameters.all[i].field].name;
    one.scope = free_parameters.all[i].scope;
    one.prior = free_parameters.all[i].prior;
    one.z_score = z_scores[i];
    one.error = std::sqrt(covariance(i, i));
    for (std::size_t s = 0; s < series.size(); ++s)
      for (const int free_parameter : free_parameters.of_series[s])
        if (free_parameter == static_cast<int>(i)) {
          one.points += static_cast<int>(series[s].points.size());
          if (series[s].borrowed) one.borrowed_points += static_cast<int>(series[s].points.size());
        }
    calibration.parameters.push_back(one);
    calibration.correlation.emplace_back();
    for (std::size_t other = 0; other < row; ++other) {
      const std::size_t j = informed[other];
      calibration.correlation.back().push_back(covariance(i, j) / std::sqrt(covariance(i, i) * covariance(j, j)));
    }
  }
}

void find_identified(Calibration& calibration) {
  constexpr double narrowed = 0.8; // share of the prior's width below which a parameter counts as identified
  for (std::size_t i = 0; i < calibration.parameters.size(); ++i)
    calibration.parameters[i].identified = calibration.parameters[i].error < narrowed;
}

/// ln(measured / predicted), where the prediction is the time that `predict` gives: SimGrid's if the formula is
/// inexact.
std::vector<double> log_residuals_of_predictions(StepProblem& problem, const std::vector<SeriesData>& series,
                                                 const std::vector<double>& z_scores) {
  auto log_residuals = problem.log_residuals(z_scores);
  std::size_t row = 0;
  for (std::size_t s = 0; s < series.size(); ++s) {
    auto sample = sample_at(problem.free_parameters(), series[s], s, z_scores);
    problem.algorithm_choices().put(s, sample);
    for (const auto& point : series[s].points)
      log_residuals[row++] -= std::log(predicted_over_formula(series[s], point, sample));
  }
  return log_residuals;
}

void add_series(Calibration& calibration, const StepProblem& problem, const std::vector<SeriesData>& series,
                const std::vector<double>& log_residuals) {
  std::size_t row = 0;
  double sum = 0;
  for (std::size_t s = 0; s < series.size(); ++s) {
    const double scale = problem.scale(noise_group(series[s]));
    CalibratedSeries one{series[s].id,       series[s].scope,
                         series[s].strategy, problem.residual_process_of(s).spread,
                         series[s].borrowed, {}};
    for (const auto& point : series[s].points) {
      sum += std::abs(log_residuals[row]);
      one.points.push_back({point.gpus, point.nodes, log_residuals[row++], scale * point.noise});
    }
    if (!is_transfer(series[s]) && !one.points.empty()) calibration.series.push_back(one);
  }
  calibration.quality.points = static_cast<int>(row);
  calibration.quality.fit_error = row > 0 ? sum / static_cast<double>(row) : 0;
}

} // namespace

ResidualProcess StepFitOptions::residual_process() const {
  auto process = residual_process_of(constants);
  process.spread = constants.fit_spread;
  return process;
}

namespace {

RobustProblem robust_problem(StepProblem& problem, SlopeFollower& slopes) {
  RobustProblem robust;
  robust.residuals = [&](const std::vector<double>& z_scores) { return problem.whitened_residuals(z_scores); };
  robust.slopes = [&](const std::vector<double>& z_scores) { return slopes.next(z_scores); };
  robust.begin_search = [&] { slopes.begin_search(); };
  robust.loss = Loss::student_t3;
  // priors of z-scores, with mean 0 and width 1
  robust.priors.assign(problem.free_parameters().all.size(), NormalPrior{});
  robust.prior_loss = step_prior_loss;
  return robust;
}

/// Fits from the priors' medians. Then estimates the noise and fits again, `noise_rounds` times.
RobustFit fit_and_estimate_noise(StepProblem& problem, const RobustProblem& robust,
                                 const std::vector<SeriesData>& series, int noise_rounds) {
  auto fit = fit_robust(robust, std::vector<double>(problem.free_parameters().all.size(), 0));
  for (int round = 1; round <= noise_rounds; ++round) {
    estimate_noise(problem, series, problem.whitened_residuals(fit.unknowns), uncertainty_of(robust, fit).leverage);
    if (round == 1) estimate_series_spread(problem, series, problem.whitened_residuals(fit.unknowns));
    fit = fit_robust(robust, fit.unknowns);
    if (round == 1) fit = choose_algorithms(problem, robust, std::move(fit));
  }
  return fit;
}

double cost_of_all(Loss loss, const std::vector<double>& residuals) {
  double sum = 0;
  for (const double residual : residuals) sum += cost_of(loss, residual);
  return sum;
}

/// Whether the likelihood of all points changes by a tenth or more within two standard deviations of the parameter's
/// prior, with the other parameters at their most probable values. The derivative at the most probable value is not
/// enough: it is 0 for a server that was never busy.
bool is_informed(std::size_t at, StepProblem& problem, const RobustProblem& robust, const RobustFit& fit) {
  const double least_change = std::log(1.1);
  constexpr double reach = 2;
  double least = cost_of_all(robust.loss, fit.residuals);
  double most = least;
  for (const double z_score : {-reach, reach}) {
    auto there = fit.unknowns;
    there[at] = z_score;
    const double cost = cost_of_all(robust.loss, problem.whitened_residuals(there));
    least = std::min(least, cost);
    most = std::max(most, cost);
    if (most - least > least_change) return true;
  }
  return false;
}

/// Indices of the free parameters about which the points say something. The others are set to their priors' medians.
std::vector<std::size_t> find_informed(StepProblem& problem, const RobustProblem& robust, RobustFit& fit) {
  std::vector<std::size_t> informed;
  auto unknowns = fit.unknowns;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (is_informed(i, problem, robust, fit))
      informed.push_back(i);
    else
      unknowns[i] = 0;
  }
  fit.unknowns = unknowns;
  fit.residuals = problem.whitened_residuals(unknowns);
  return informed;
}

/// The whitened residuals at `unknowns` in the linear approximation (Laplace).
std::vector<double> linear_residuals(const RobustFit& fit, const std::vector<double>& unknowns) {
  auto residuals = fit.residuals;
  for (std::size_t column = 0; column < unknowns.size(); ++column)
    for (std::size_t row = 0; row < residuals.size(); ++row)
      residuals[row] += fit.slopes(row, column) * (unknowns[column] - fit.unknowns[column]);
  return residuals;
}

/// Numbers of the draws that contradict the measurements: their likelihood is below that of the normal approximation by
/// a factor of twenty or more.
std::vector<int> contradicted_draws(StepProblem& problem, const RobustProblem& robust, const RobustFit& fit,
                                    const Calibration& calibration, const std::vector<std::size_t>& informed) {
  const double most_costly = std::log(20.0);
  const auto draws = all_posterior_draws(calibration);
  std::vector<int> contradicted;
  auto unknowns = fit.unknowns;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    for (std::size_t k = 0; k < informed.size(); ++k) unknowns[informed[k]] = draws[i][k];
    const double cost = cost_of_all(robust.loss, problem.whitened_residuals(unknowns));
    if (cost - cost_of_all(robust.loss, linear_residuals(fit, unknowns)) > most_costly)
      contradicted.push_back(static_cast<int>(i));
  }
  return contradicted;
}

} // namespace

Calibration fit_steps(const std::vector<SeriesData>& series, const StepFitOptions& options) {
  StepProblem problem(series, options);
  SlopeFollower slopes(problem);
  const auto robust = robust_problem(problem, slopes);
  auto fit = fit_and_estimate_noise(problem, robust, series, options.noise_rounds);
  const auto informed = find_informed(problem, robust, fit);
  Calibration calibration;
  calibration.version = version();
  add_parameters(calibration, problem, informed, fit.unknowns, uncertainty_of(robust, fit).covariance, series);
  find_identified(calibration);
  calibration.contradicted_draws = contradicted_draws(problem, robust, fit, calibration, informed);
  calibration.choices = problem.algorithm_choices().calibrated();
  add_series(calibration, problem, series, log_residuals_of_predictions(problem, series, fit.unknowns));
  add_left_out(calibration.quality, problem, robust, fit, series);
  return calibration;
}

} // namespace ddlsim
