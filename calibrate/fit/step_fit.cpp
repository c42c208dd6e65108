#include "calibrate/fit/step_fit.hpp"

#include "calibrate/fit/leave_one_out.hpp"
#include "calibrate/fit/map_fit.hpp"
#include "calibrate/fit/step_problem.hpp"
#include "sim/predict/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ddlsim {
namespace {

/// How much noisier each group's whitened residuals are than taken, as if four residuals of exactly 1 had been seen
/// before. Heavy tails count by their weight; what the fit took of a residual's variance (its leverage) is not there to
/// be seen: without it twenty points and ten parameters look a fifth too quiet.
void judge_noise(StepProblem& problem, const std::vector<SeriesData>& series, const Eigen::VectorXd& residuals,
                 const Eigen::VectorXd& leverage) {
  constexpr double seen_before = 4;
  std::map<std::string, std::pair<double, double>> sums; // of weighted squares, of what they should be
  for (std::size_t r = 0; r < problem.rows().size(); ++r) {
    if (!series[problem.rows()[r].series].excluded.empty()) continue;
    const double residual = residuals(static_cast<Eigen::Index>(r));
    auto& [squares, count] = sums[noise_group(series[problem.rows()[r].series])];
    // The mean of x^2 / (1 + x^2 / 4) of a standard normal x is 4 (1 - sqrt(2 pi) exp(2) erfc(sqrt(2))) = 0.63:
    // dividing by it makes 1 the answer for residuals as large as taken.
    constexpr double of_normal = 0.63;
    squares += robust_weight(residual) * residual * residual / of_normal;
    count += 1 - leverage(static_cast<Eigen::Index>(r));
  }
  constexpr double least_scale = 0.5; // points that agree by luck
  constexpr double most_scale = 9;    // a wilder group tells nothing any more
  for (const auto& [group, sum] : sums) {
    const double ratio = std::sqrt((seen_before + sum.first) / (seen_before + sum.second));
    problem.set_scale(group, std::clamp(problem.scale(group) * ratio, least_scale, most_scale));
  }
}

/// A series that no parameter explains has a spread of its own, so that it neither drags the others nor is believed to
/// be near the model at the next scale: as if three residuals of exactly 1 had been seen before.
void judge_series(StepProblem& problem, const std::vector<SeriesData>& series, const Eigen::VectorXd& residuals) {
  constexpr double seen_before = 3;
  constexpr double excluded_spread = 10; // of the law's: its own points say all that is known
  std::vector<double> squares(series.size(), 0);
  for (std::size_t r = 0; r < problem.rows().size(); ++r) {
    const double residual = residuals(static_cast<Eigen::Index>(r));
    squares[problem.rows()[r].series] += residual * residual;
  }
  for (std::size_t s = 0; s < series.size(); ++s) {
    const double count = static_cast<double>(series[s].points.size());
    if (!series[s].excluded.empty()) problem.set_own(s, excluded_spread);
    if (!series[s].excluded.empty()) continue;
    problem.set_own(s, std::max(1.0, std::sqrt((seen_before + squares[s]) / (seen_before + count))));
  }
}

/// Tries every other choice of every form, one form after another, each with a few steps of a fit from where it stands.
/// What costs less is kept; weights are prior weight x exp(-cost / 4), by the cost each choice came to.
MapFit choose_algorithms(StepProblem& problem, const Residuals& residuals, const Jacobian& jacobian, MapFit fit) {
  constexpr int few_steps = 3;
  auto& algorithm_choices = problem.algorithm_choices();
  for (std::size_t f = 0; f < algorithm_choices.count(); ++f) {
    const std::size_t stood = algorithm_choices.chosen(f);
    std::size_t best = stood;
    MapFit best_fit = fit;
    algorithm_choices.set_cost(f, stood, fit.cost);
    for (std::size_t choice = 0; choice < algorithm_choices.choices(f).size(); ++choice) {
      if (choice == stood) continue;
      algorithm_choices.choose(f, choice);
      const auto tried = fit_map(residuals, jacobian, fit.z_scores, {few_steps, 1e-2});
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

void add_parameters(Calibration& calibration, const StepProblem& problem, const MapFit& fit,
                    const std::vector<SeriesData>& series) {
  constexpr double narrowed = 0.8; // of the prior's width: what counts as learnt
  const auto& free_parameters = problem.free_parameters();
  for (std::size_t i = 0; i < free_parameters.all.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    CalibratedParameter one;
    one.name = parameter_fields()[free_parameters.all[i].field].name;
    one.scope = free_parameters.all[i].scope;
    one.prior = free_parameters.all[i].prior;
    one.z_score = fit.z_scores(at);
    one.error = std::sqrt(fit.covariance(at, at));
    one.identified = one.error < narrowed;
    for (std::size_t s = 0; s < series.size(); ++s)
      for (const int free_parameter : free_parameters.of_series[s])
        if (free_parameter == static_cast<int>(i)) {
          one.points += static_cast<int>(series[s].points.size());
          if (series[s].borrowed) one.borrowed_points += static_cast<int>(series[s].points.size());
        }
    calibration.parameters.push_back(one);
    calibration.correlation.emplace_back();
    for (Eigen::Index j = 0; j < at; ++j)
      calibration.correlation.back().push_back(fit.covariance(at, j) /
                                               std::sqrt(fit.covariance(at, at) * fit.covariance(j, j)));
  }
}

void add_series(Calibration& calibration, const StepProblem& problem, const std::vector<SeriesData>& series,
                const Eigen::VectorXd& misses) {
  Eigen::Index row = 0;
  double sum = 0;
  for (std::size_t s = 0; s < series.size(); ++s) {
    const double scale = problem.scale(noise_group(series[s]));
    CalibratedSeries one{
        series[s].id, series[s].scope, series[s].strategy, problem.alpha_beta_of(s).spread, series[s].borrowed, {}};
    for (const auto& point : series[s].points) {
      sum += std::abs(misses(row));
      one.points.push_back({point.gpus, point.nodes, misses(row++), scale * point.noise});
    }
    if (!is_transfer(series[s])) calibration.series.push_back(one);
  }
  calibration.quality.points = static_cast<int>(row);
  calibration.quality.fit_error = row > 0 ? sum / static_cast<double>(row) : 0;
}

/// Each own series predicted by a fit without it, its one-GPU time known: steps where there are some, else transfers
/// alone.
void add_leave_one_out(Calibration& calibration, StepProblem& problem, const MapFit& fit,
                       const std::vector<SeriesData>& series) {
  const auto counts = [&](const SeriesData& one, bool transfers) {
    return !one.borrowed && one.excluded.empty() && !one.points.empty() && is_transfer(one) == transfers;
  };
  const bool transfers =
      std::none_of(series.begin(), series.end(), [&](const SeriesData& one) { return counts(one, false); });
  const Residuals residuals = [&](const Eigen::VectorXd& at) { return problem.residuals(at); };
  double sum = 0;
  Eigen::Index first = 0;
  for (std::size_t s = 0; s < series.size(); ++s) {
    const auto count = static_cast<Eigen::Index>(series[s].points.size());
    if (counts(series[s], transfers)) {
      auto sample = sample_at(problem.free_parameters(), series[s], s, z_scores_without(fit, first, count, residuals));
      sample.algorithm_draw = problem.algorithm_choices().draw_of(s);
      for (const auto& point : series[s].points)
        sum += std::abs(std::log(point.measured_s / model_time_s(series[s], point, sample)));
      calibration.quality.leave_one_out_points += static_cast<int>(count);
    }
    first += count;
  }
  if (sum > 0) calibration.quality.leave_one_out_error = sum / calibration.quality.leave_one_out_points;
}

bool crosses_nodes(const SeriesData& series) {
  return std::any_of(series.points.begin(), series.points.end(),
                     [](const DataPoint& point) { return point.nodes > 1; });
}

/// The prior's median, and networks and servers much slower than believed, where runs across nodes can tell: a slow
/// network and much interference explain the same times, and a search that starts at a fast network may end there.
std::vector<Eigen::VectorXd> starts(const FreeParameters& free_parameters, const std::vector<SeriesData>& series) {
  constexpr double slow = -2; // prior standard deviations
  const Eigen::VectorXd middle = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(free_parameters.all.size()));
  Eigen::VectorXd slow_network = middle;
  const auto fields = parameter_fields();
  for (std::size_t s = 0; s < series.size(); ++s) {
    for (std::size_t k = 0; k < fields.size(); ++k) {
      const bool rate =
          fields[k].value == &Parameters::nic_efficiency || fields[k].value == &Parameters::server_process_Bps;
      const int free_parameter = free_parameters.of_series[s][k];
      if (rate && free_parameter >= 0 && crosses_nodes(series[s])) slow_network(free_parameter) = slow;
    }
  }
  if (slow_network == middle) return {middle};
  return {middle, slow_network};
}

MapFit best_fit(const Residuals& residuals, const Jacobian& jacobian, const std::vector<Eigen::VectorXd>& from) {
  MapFit best;
  for (const auto& start : from) {
    const auto fit = fit_map(residuals, jacobian, start);
    if (best.z_scores.size() == 0 || fit.cost < best.cost) best = fit;
  }
  return best;
}

} // namespace

Calibration fit_steps(const std::vector<SeriesData>& series, const StepFitOptions& options) {
  StepProblem problem(series, options);
  const Residuals residuals = [&](const Eigen::VectorXd& at) { return problem.residuals(at); };
  const Jacobian jacobian = [&](const Eigen::VectorXd& at) { return problem.jacobian(at); };
  constexpr MapOptions again{6, 1e-3}; // from where the last search ended
  MapFit fit = best_fit(residuals, jacobian, starts(problem.free_parameters(), series));
  for (int round = 1; round <= options.noise_rounds; ++round) {
    judge_noise(problem, series, residuals(fit.z_scores), fit.leverage);
    if (round == 1) judge_series(problem, series, residuals(fit.z_scores));
    fit = fit_map(residuals, jacobian, fit.z_scores, again);
    if (round == 1) fit = choose_algorithms(problem, residuals, jacobian, fit);
  }
  Calibration calibration;
  calibration.version = version();
  add_parameters(calibration, problem, fit, series);
  calibration.algorithm_choices = problem.algorithm_choices().calibrated();
  add_series(calibration, problem, series, problem.misses(fit.z_scores));
  add_leave_one_out(calibration, problem, fit, series);
  return calibration;
}

} // namespace ddlsim
