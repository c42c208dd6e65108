#include "calibrate/fit/alpha_beta_fit.hpp"

#include "sim/formats/collective_curve.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Tails of the residuals: 4 lets one wild row in ten pass without moving the law, and costs 3 % of efficiency.
constexpr double freedom = 4;
/// The scale counts as if one more point with this residual were there: the pipelined law misses published NCCL tables
/// by 6 % in the mean, so one or two points do not make a law exact.
constexpr double scale_before = 0.08;
/// Fisher information of a Student-t location against that of a normal of the same scale.
constexpr double information = (freedom + 1) / (freedom + 3);
constexpr int most_steps = 200;
constexpr double largest_step = 1.5; ///< of a logarithm, so that a bad start cannot overflow
constexpr double small_gain = 1e-12;

struct State {
  Vector3d log_value;
  double scale = scale_before;
  double loss = 0;
};

double log_alpha_beta(const Vector3d& log_value, double size_bytes) {
  const double latency_s = std::exp(log_value[0]);
  const double transfer_s = size_bytes / std::exp(log_value[1]);
  return std::log(latency_s + transfer_s + 2 * std::exp(log_value[2]) * std::sqrt(latency_s * transfer_s));
}

double residual(const Vector3d& log_value, const TransferSample& sample) {
  return std::log(sample.time_s) - log_alpha_beta(log_value, sample.size_bytes);
}

Vector3d prior_distance(const Vector3d& log_value, const AlphaBetaPrior& prior) {
  Vector3d distance;
  for (int i = 0; i < 3; ++i)
    distance[i] =
        (log_value[i] - std::log(prior.median[static_cast<std::size_t>(i)])) / prior.width[static_cast<std::size_t>(i)];
  return distance;
}

/// Minus the logarithm of the posterior, without its constant; the scale has its one point of before.
double loss_at(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior, const Vector3d& log_value,
               double scale) {
  double loss = prior_distance(log_value, prior).squaredNorm() / 2;
  for (const auto& sample : samples) {
    const double r = residual(log_value, sample) / scale;
    loss += (freedom + 1) / 2 * std::log1p(r * r / freedom) + std::log(scale);
  }
  const double before = scale_before / scale;
  return loss + before * before / 2 + std::log(scale);
}

Vector3d slope_at(const Vector3d& log_value, double size_bytes) {
  const auto slope =
      alpha_beta_sensitivities(std::exp(log_value[0]), std::exp(log_value[1]), std::exp(log_value[2]), size_bytes);
  return {slope[0], slope[1], slope[2]};
}

/// Weighted normal equations: what the residuals and the prior pull, and how stiffly.
struct Normal {
  Matrix3d stiffness = Matrix3d::Zero();
  Vector3d pull = Vector3d::Zero();
};

Normal normal_at(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior, const State& state) {
  Normal normal;
  const double variance = state.scale * state.scale;
  for (const auto& sample : samples) {
    const Vector3d slope = slope_at(state.log_value, sample.size_bytes);
    const double r = residual(state.log_value, sample);
    const double weight = (freedom + 1) / (freedom + r * r / variance) / variance;
    normal.stiffness += weight * slope * slope.transpose();
    normal.pull += weight * r * slope;
  }
  const Vector3d distance = prior_distance(state.log_value, prior);
  for (int i = 0; i < 3; ++i) {
    const double width = prior.width[static_cast<std::size_t>(i)];
    normal.stiffness(i, i) += 1 / (width * width);
    normal.pull[i] -= distance[i] / width;
  }
  return normal;
}

/// The scale of the residuals at these constants: expectation-maximisation, one step.
double next_scale(const std::vector<TransferSample>& samples, const State& state) {
  double sum = scale_before * scale_before;
  for (const auto& sample : samples) {
    const double r = residual(state.log_value, sample);
    sum += (freedom + 1) / (freedom + r * r / (state.scale * state.scale)) * r * r;
  }
  return std::sqrt(sum / static_cast<double>(samples.size() + 1));
}

/// One damped step; true when it lowered the loss.
bool step(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior, State& state, double& damping) {
  const Normal normal = normal_at(samples, prior, state);
  for (int tries = 0; tries < 12; ++tries) {
    Matrix3d stiff = normal.stiffness;
    stiff.diagonal() *= 1 + damping;
    const Vector3d move = stiff.ldlt().solve(normal.pull).cwiseMax(-largest_step).cwiseMin(largest_step);
    const double loss = loss_at(samples, prior, state.log_value + move, state.scale);
    if (loss <= state.loss) {
      state.log_value += move;
      state.loss = loss;
      damping = std::max(damping / 5, 1e-9);
      return true;
    }
    damping *= 5;
  }
  return false;
}

State descend(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior, State state) {
  double damping = 1e-3;
  for (int count = 0; count < most_steps; ++count) {
    state.loss = loss_at(samples, prior, state.log_value, state.scale);
    const double before = state.loss;
    const bool moved = step(samples, prior, state, damping);
    state.scale = next_scale(samples, state);
    state.loss = loss_at(samples, prior, state.log_value, state.scale);
    if (!moved || before - state.loss < small_gain * (1 + std::abs(before))) break;
  }
  return state;
}

/// Where the descent begins: the prior's medians, and the smallest time with the largest rate seen.
std::vector<State> starts(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior) {
  double least_s = samples.front().time_s;
  double most_Bps = 0;
  for (const auto& sample : samples) {
    least_s = std::min(least_s, sample.time_s);
    most_Bps = std::max(most_Bps, sample.size_bytes / sample.time_s);
  }
  const double overlap = prior.median[2];
  std::vector<State> states;
  states.push_back({Vector3d(std::log(prior.median[0]), std::log(prior.median[1]), std::log(overlap)), 0.5, 0});
  for (const double factor : {0.3, 1.0, 3.0}) {
    const Vector3d seen(std::log(least_s), std::log(most_Bps > 0 ? most_Bps : prior.median[1]),
                        std::log(overlap * factor));
    states.push_back({seen, 0.5, 0});
  }
  return states;
}

State best_state(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior, const AlphaBetaFit* start) {
  if (start != nullptr) {
    const Vector3d from(std::log(start->value[0]), std::log(start->value[1]), std::log(start->value[2]));
    return descend(samples, prior, {from, start->scale, 0});
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

/// Correlation of one residual with the next; 0 where chance alone could give it (2 / sqrt n).
double run_together(const std::vector<double>& residuals) {
  double self = 0, next = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    self += residuals[i] * residuals[i];
    if (i > 0) next += residuals[i] * residuals[i - 1];
  }
  if (self == 0 || residuals.size() < 4) return 0;
  const double correlation = next / self;
  constexpr double most = 0.9; // beyond it the table is one bend, and its points are one
  return correlation > 2 / std::sqrt(static_cast<double>(residuals.size())) ? std::min(correlation, most) : 0;
}

/// Curvature of the posterior, the residuals' share thinned to as many points as tell something new.
Matrix3d covariance_at(const std::vector<TransferSample>& samples, const AlphaBetaPrior& prior, const State& state,
                       double together) {
  Matrix3d seen = Matrix3d::Zero();
  Matrix3d before = Matrix3d::Zero();
  for (const auto& sample : samples) {
    const Vector3d slope = slope_at(state.log_value, sample.size_bytes);
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
    fit.value[static_cast<std::size_t>(i)] = std::exp(state.log_value[i]);
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
