#include "calibrate/fit/collective_fit.hpp"
#include "sim/base/robust_fit.hpp"
#include "sim/formats/collective_curve.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Residual of one more point, with which the prior of the scale counts. The pipelined law misses published NCCL tables
/// by 6 % in the mean, so one or two points cannot make a law exact.
constexpr double scale_before = 0.08;
/// Fisher information of the location of Student's t with 4 degrees of freedom, relative to a normal's of the same
/// scale.
constexpr double information = 5.0 / 7.0;

/// Logarithms of the three constants, and the scale of the residuals around the law.
struct State {
  std::vector<double> log_value;
  double scale = scale_before;
  double loss = 0;
};

double log_alpha_beta(const std::vector<double>& log_value, double size_bytes) {
  const double latency_s = std::exp(log_value[0]);
  const double transfer_s = size_bytes / std::exp(log_value[1]);
  return std::log(latency_s + transfer_s + 2 * std::exp(log_value[2]) * std::sqrt(latency_s * transfer_s));
}

double residual(const std::vector<double>& log_value, const TransferSample& sample) {
  return std::log(sample.time_s) - log_alpha_beta(log_value, sample.size_bytes);
}

/// Derivatives of ln time of the law by the logarithms of its constants.
std::array<double, 3> slopes_at(const std::vector<double>& log_value, double size_bytes) {
  return alpha_beta_sensitivities(std::exp(log_value[0]), std::exp(log_value[1]), std::exp(log_value[2]), size_bytes);
}

/// The fit of the constants at one scale of the residuals. The arguments must outlive the problem.
RobustProblem problem_at(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior, const double& scale) {
  RobustProblem problem;
  problem.loss = Loss::student_t4;
  for (std::size_t i = 0; i < prior.median.size(); ++i)
    problem.priors.push_back({std::log(prior.median[i]), prior.width[i]});
  problem.residuals = [&](const std::vector<double>& log_value) {
    std::vector<double> residuals;
    for (const auto& sample : samples) residuals.push_back(residual(log_value, sample) / scale);
    return residuals;
  };
  problem.slopes = [&](const std::vector<double>& log_value) {
    Matrix slopes(samples.size(), log_value.size());
    for (std::size_t row = 0; row < samples.size(); ++row) {
      const auto slope = slopes_at(log_value, samples[row].size_bytes);
      for (std::size_t i = 0; i < slope.size(); ++i) slopes(row, i) = -slope[i] / scale;
    }
    return slopes;
  };
  return problem;
}

/// Minus the logarithm of the posterior of constants and scale. A constant term is left out.
double loss_of(double cost, std::size_t samples, double scale) {
  const double before = scale_before / scale;
  return cost + before * before / 2 + static_cast<double>(samples + 1) * std::log(scale);
}

/// One step of expectation-maximisation for the scale of the residuals at these constants.
double next_scale(const std::vector<TransferSample>& samples, const State& state) {
  double sum = scale_before * scale_before;
  for (const auto& sample : samples) {
    const double r = residual(state.log_value, sample);
    sum += weight_of(Loss::student_t4, r / state.scale) * r * r;
  }
  return std::sqrt(sum / static_cast<double>(samples.size() + 1));
}

/// Maximises the posterior, starting at `state`. A step of the constants and a step of the scale alternate.
State descend(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior, State state) {
  constexpr int most_turns = 1000;
  constexpr double small_gain = 1e-15;
  RobustFitOptions options;
  options.tolerance = 1;      // the search stops after one step that helps
  options.largest_step = 1.5; // largest step of a logarithm, so that a bad start cannot overflow
  const auto problem = problem_at(samples, prior, state.scale);
  for (int turn = 0; turn < most_turns; ++turn) {
    const auto fit = fit_robust(problem, state.log_value, options);
    state.log_value = fit.unknowns;
    const double before = state.loss;
    state.loss = loss_of(fit.cost, samples.size(), state.scale);
    if (turn > 0 && before - state.loss < small_gain * (1 + std::abs(before))) break;
    state.scale = next_scale(samples, state);
  }
  return state;
}

/// The starting points of the search: the prior's medians, and the smallest time with the largest measured rate.
std::vector<State> starts(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior) {
  double least_s = samples.front().time_s;
  double most_Bps = 0;
  for (const auto& sample : samples) {
    least_s = std::min(least_s, sample.time_s);
    most_Bps = std::max(most_Bps, sample.size_bytes / sample.time_s);
  }
  const double overlap = prior.median[2];
  std::vector<State> states;
  states.push_back({{std::log(prior.median[0]), std::log(prior.median[1]), std::log(overlap)}, 0.5, 0});
  for (const double factor : {0.3, 1.0, 3.0}) {
    states.push_back(
        {{std::log(least_s), std::log(most_Bps > 0 ? most_Bps : prior.median[1]), std::log(overlap * factor)}, 0.5, 0});
  }
  return states;
}

State best_state(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior, const AlphaBetaFit* start) {
  if (start != nullptr) {
    return descend(
        samples, prior,
        {{std::log(start->value[0]), std::log(start->value[1]), std::log(start->value[2])}, start->scale, 0});
  }
  State best;
  bool first = true;
  for (const auto& one : starts(samples, prior)) {
    const State reached = descend(samples, prior, one);
    if (first || reached.loss < best.loss) best = reached;
    first = false;
  }
  return best;
}

/// Correlation of one residual with the next; 0 if it may be chance (below 2 / sqrt n).
double run_together(const std::vector<double>& residuals) {
  double self = 0, next = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    self += residuals[i] * residuals[i];
    if (i > 0) next += residuals[i] * residuals[i - 1];
  }
  if (self == 0 || residuals.size() < 4) return 0;
  const double correlation = next / self;
  constexpr double most = 0.9; // largest correlation; above it the residuals form one curve and count as one point
  return correlation > 2 / std::sqrt(static_cast<double>(residuals.size())) ? std::min(correlation, most) : 0;
}

/// Inverse curvature of the posterior. Correlated samples count as fewer independent points.
Matrix3d covariance_at(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior, const State& state,
                       double together) {
  Matrix3d seen = Matrix3d::Zero();
  Matrix3d before = Matrix3d::Zero();
  for (const auto& sample : samples) {
    const auto slopes = slopes_at(state.log_value, sample.size_bytes);
    const Vector3d slope(slopes[0], slopes[1], slopes[2]);
    seen += information / (state.scale * state.scale) * slope * slope.transpose();
  }
  for (int i = 0; i < 3; ++i) before(i, i) = 1 / std::pow(prior.width[static_cast<std::size_t>(i)], 2);
  const auto count = static_cast<double>(samples.size());
  const double fitted = ((seen + before).ldlt().solve(seen)).trace();
  const double lost = std::max(0.2, (count + 1 - fitted) / (count + 1)) * (1 - together) / (1 + together);
  return (lost * seen + before).inverse();
}

AlphaBetaFit prior_fit(const AlphaBetaPrior& prior) {
  AlphaBetaFit fit;
  fit.value = prior.median;
  fit.error = prior.width;
  fit.scale = scale_before;
  return fit;
}

} // namespace

AlphaBetaFit fit_alpha_beta(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior,
                            const AlphaBetaFit* start) {
  if (samples.empty()) return prior_fit(prior);
  const State state = best_state(samples, prior, start);
  std::vector<double> residuals;
  double squares = 0;
  for (const auto& sample : samples) {
    residuals.push_back(residual(state.log_value, sample));
    squares += residuals.back() * residuals.back();
  }
  const Matrix3d covariance = covariance_at(samples, prior, state, run_together(residuals));
  AlphaBetaFit fit;
  for (int i = 0; i < 3; ++i) {
    fit.value[static_cast<std::size_t>(i)] = std::exp(state.log_value[static_cast<std::size_t>(i)]);
    fit.error[static_cast<std::size_t>(i)] = std::sqrt(covariance(i, i));
  }
  const auto correlation = [&](int i, int j) {
    return covariance(i, j) / std::sqrt(covariance(i, i) * covariance(j, j));
  };
  fit.correlation = {correlation(0, 1), correlation(0, 2), correlation(1, 2)};
  fit.scale = state.scale;
  fit.spread = std::sqrt(squares / static_cast<double>(samples.size()));
  return fit;
}

} // namespace ddlsim
