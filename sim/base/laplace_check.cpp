#include "sim/base/laplace_check.hpp"

#include "sim/base/linear_algebra.hpp"
#include "sim/base/statistics.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

namespace ddlsim {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Mean of ln(1 - b x): the shape that goes with b.
double shape_at(const std::vector<double>& exceedances, double b) {
  double sum = 0;
  for (const double x : exceedances) sum += std::log1p(-b * x);
  return sum / static_cast<double>(exceedances.size());
}

/// Zhang and Stephens' estimate, exceedances ascending.
double shape_of_tail(const std::vector<double>& exceedances) {
  constexpr double prior_scale = 3; // theirs
  const auto count = static_cast<double>(exceedances.size());
  const int candidates = 30 + static_cast<int>(std::sqrt(count));
  const double quartile = exceedances[static_cast<std::size_t>(std::max(0.0, std::floor(count / 4 + 0.5) - 1))];
  std::vector<double> b;
  std::vector<double> log_likelihood;
  for (int j = 1; j <= candidates; ++j) {
    b.push_back(1 / exceedances.back() + (1 - std::sqrt(candidates / (j - 0.5))) / (prior_scale * quartile));
    const double shape = shape_at(exceedances, b.back());
    log_likelihood.push_back(count * (std::log(-b.back() / shape) - shape - 1));
  }
  double mean_b = 0;
  for (std::size_t j = 0; j < b.size(); ++j) {
    double others = 0;
    for (const double other : log_likelihood) others += std::exp(other - log_likelihood[j]);
    mean_b += b[j] / others;
  }
  constexpr double seen_before = 10; // Vehtari's weak prior about 0.5
  return (shape_at(exceedances, mean_b) * count + 0.5 * seen_before) / (count + seen_before);
}

/// Lower Cholesky factor; rounding may leave a matrix that is no covariance, and then its diagonal is raised. Not
/// eigenvectors: where two eigenvalues are close, the last bit of a logarithm turns them.
MatrixXd factor_of(const MatrixXd& covariance) {
  constexpr double least = 1e-12;
  constexpr double next = 10;
  for (double raised = 0; raised < 1; raised = std::max(least, next * raised)) {
    MatrixXd sum = covariance;
    sum.diagonal().array() += raised * covariance.diagonal().maxCoeff();
    if (const auto factor = cholesky_factor(sum)) return *factor;
  }
  throw std::logic_error("the uncertainty of a fit is no covariance");
}

/// The posterior about a fit, in coordinates u in which Laplace's normal distribution is the standard one.
class Posterior {
public:
  Posterior(const RobustProblem& problem, const RobustFit& fit) : problem_(problem), fit_(fit) {
    const auto covariance = uncertainty_of(problem, fit).covariance;
    const auto count = static_cast<Eigen::Index>(covariance.rows);
    VectorXd prior_widths(count);
    for (Eigen::Index i = 0; i < count; ++i) prior_widths(i) = problem.priors[static_cast<std::size_t>(i)].width;
    const VectorXd units = prior_widths.cwiseInverse();
    const MatrixXd in_priors_widths =
        units.asDiagonal() * Eigen::Map<const MatrixXd>(covariance.values.data(), count, count) * units.asDiagonal();
    const MatrixXd factor = factor_of(in_priors_widths);
    widths_ = factor.diagonal();
    factor_ = prior_widths.asDiagonal() * factor;
    for (const double residual : fit.residuals) weights_.push_back(weight_of(problem.loss, residual));
    for (std::size_t i = 0; i < fit.unknowns.size(); ++i)
      prior_weights_.push_back(weight_of(problem.prior_loss, distance(i, fit.unknowns[i])));
    least_ = cost(fit.unknowns, fit.residuals);
  }

  std::vector<double> unknowns_at(const VectorXd& u) const {
    const VectorXd moved = factor_ * u;
    auto unknowns = fit_.unknowns;
    for (std::size_t i = 0; i < unknowns.size(); ++i) unknowns[i] += moved(static_cast<Eigen::Index>(i));
    return unknowns;
  }

  double log_weight(const VectorXd& u) const {
    const auto unknowns = unknowns_at(u);
    return 0.5 * u.squaredNorm() - (cost(unknowns, problem_.residuals(unknowns)) - least_);
  }

  Eigen::Index count() const { return factor_.rows(); }

  /// Standard deviation of each unknown where those before it are known, in the priors' widths.
  const VectorXd& widths() const { return widths_; }

private:
  double distance(std::size_t i, double unknown) const {
    return (unknown - problem_.priors[i].mean) / problem_.priors[i].width;
  }

  double cost(const std::vector<double>& unknowns, const std::vector<double>& residuals) const {
    double sum = 0;
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      sum += prior_weights_[i] * distance(i, unknowns[i]) * distance(i, unknowns[i]);
    for (std::size_t r = 0; r < residuals.size(); ++r) sum += weights_[r] * residuals[r] * residuals[r];
    return 0.5 * sum;
  }

  const RobustProblem& problem_;
  const RobustFit& fit_;
  MatrixXd factor_; ///< lower Cholesky factor of the covariance
  VectorXd widths_;
  std::vector<double> weights_;
  std::vector<double> prior_weights_;
  double least_ = 0;
};

/// Standard normal vectors by Latin hypercube.
std::vector<VectorXd> proposals(int count, Eigen::Index size, std::mt19937_64& random) {
  std::vector<VectorXd> all(static_cast<std::size_t>(count), VectorXd(size));
  for (Eigen::Index k = 0; k < size; ++k) {
    const auto order = random_order(count, random);
    for (int i = 0; i < count; ++i)
      all[static_cast<std::size_t>(i)](k) = normal_quantile((order[static_cast<std::size_t>(i)] + 0.5) / count);
  }
  return all;
}

std::vector<double> weights_of(const std::vector<double>& log_weights) {
  const double most = *std::max_element(log_weights.begin(), log_weights.end());
  std::vector<double> weights;
  for (const double one : log_weights) weights.push_back(std::exp(one - most));
  return weights;
}

double ln_mean(const std::vector<double>& log_weights) {
  const double most = *std::max_element(log_weights.begin(), log_weights.end());
  const auto weights = weights_of(log_weights);
  return most + std::log(std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size()));
}

/// `count` of the indices, each as often as its weight says, by systematic resampling.
std::vector<std::size_t> resampled(const std::vector<double>& log_weights, int count) {
  const auto weights = weights_of(log_weights);
  const double step = std::accumulate(weights.begin(), weights.end(), 0.0) / count;
  std::vector<std::size_t> picked;
  double passed = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    passed += weights[i];
    while (picked.size() < static_cast<std::size_t>(count) &&
           (static_cast<double>(picked.size()) + 0.5) * step < passed)
      picked.push_back(i);
  }
  return picked;
}

/// A number in (0, 1), the same on every machine.
double uniform(std::mt19937_64& random) {
  constexpr double range = 18446744073709551616.0; // 2^64
  return (static_cast<double>(random()) + 0.5) / range;
}

/// Axes along which the data say something: what is left of the prior's width is less than nine tenths, or one of the
/// ends of the normal distribution explains the data much better or worse than it should.
std::vector<bool> informed_axes(const Posterior& posterior) {
  constexpr double little = 0.9;
  constexpr double end = 1.5;  // standard deviations
  constexpr double much = 0.5; // of a logarithm
  std::vector<bool> informed;
  for (Eigen::Index k = 0; k < posterior.count(); ++k) {
    bool informs = posterior.widths()(k) < little;
    for (const double side : {-end, end})
      if (!informs) informs = std::abs(posterior.log_weight(side * VectorXd::Unit(posterior.count(), k))) > much;
    informed.push_back(informs);
  }
  return informed;
}

/// One step of the chain along the informed axes; returns the log weight there.
double advance(const Posterior& posterior, const std::vector<bool>& informed, VectorXd& u, double log_weight,
               std::mt19937_64& random) {
  constexpr double step = 0.4; // standard deviations
  VectorXd there = u;
  for (Eigen::Index k = 0; k < u.size(); ++k)
    if (informed[static_cast<std::size_t>(k)])
      there(k) = std::sqrt(1 - step * step) * u(k) + step * normal_quantile(uniform(random));
  const double log_weight_there = posterior.log_weight(there);
  if (!(std::log(uniform(random)) < log_weight_there - log_weight)) return log_weight;
  u = there;
  return log_weight_there;
}

/// Places of chains that start at the weightiest proposals; the first quarter of each is thrown away.
std::vector<VectorXd> run_chains(const Posterior& posterior, const std::vector<bool>& informed,
                                 const std::vector<VectorXd>& from, const std::vector<double>& log_weights, int count,
                                 std::mt19937_64& random) {
  constexpr int chains = 4;
  constexpr int steps_a_draw = 8;
  std::vector<std::size_t> order(from.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return log_weights[a] > log_weights[b]; });
  const int of_chain = (count + chains - 1) / chains;
  std::vector<VectorXd> places;
  for (int chain = 0; chain < chains; ++chain) {
    VectorXd u = from[order[static_cast<std::size_t>(chain)]];
    double log_weight = log_weights[order[static_cast<std::size_t>(chain)]];
    for (int step = -of_chain * steps_a_draw / 3; step < of_chain * steps_a_draw; ++step) {
      log_weight = advance(posterior, informed, u, log_weight, random);
      if (step >= 0 && step % steps_a_draw == 0) places.push_back(u);
    }
  }
  places.resize(static_cast<std::size_t>(count)); // chains of one length may have a few more
  return places;
}

/// The other axes keep the normal distribution.
std::vector<std::vector<double>> completed(const Posterior& posterior, const std::vector<bool>& informed,
                                           const std::vector<VectorXd>& places, std::mt19937_64& random) {
  const auto fresh = proposals(static_cast<int>(places.size()), posterior.count(), random);
  std::vector<std::vector<double>> draws;
  for (std::size_t i = 0; i < places.size(); ++i) {
    VectorXd u = places[i];
    for (Eigen::Index k = 0; k < u.size(); ++k)
      if (!informed[static_cast<std::size_t>(k)]) u(k) = fresh[i](k);
    draws.push_back(posterior.unknowns_at(u));
  }
  return draws;
}

} // namespace

double pareto_k(const std::vector<double>& log_weights) {
  auto weights = weights_of(log_weights);
  std::sort(weights.begin(), weights.end());
  const auto count = static_cast<double>(weights.size());
  const auto tail = static_cast<std::size_t>(std::ceil(std::min(0.2 * count, 3 * std::sqrt(count)))); // Vehtari's
  if (tail < 5 || tail >= weights.size()) return 0;                                                   // too few to tell
  const double cut = weights[weights.size() - tail - 1];
  std::vector<double> exceedances;
  for (std::size_t i = weights.size() - tail; i < weights.size(); ++i) exceedances.push_back(weights[i] - cut);
  constexpr double equal = 1e-10; // of the largest weight, which is 1
  if (exceedances.back() < equal) return 0;
  for (double& one : exceedances) one = std::max(one, equal);
  return shape_of_tail(exceedances);
}

double effective_share(const std::vector<double>& log_weights) {
  double sum = 0;
  double squares = 0;
  for (const double weight : weights_of(log_weights)) {
    sum += weight;
    squares += weight * weight;
  }
  return sum * sum / squares / static_cast<double>(log_weights.size());
}

LaplaceCheck check_laplace(const RobustProblem& problem, const RobustFit& fit, const LaplaceCheckOptions& options) {
  constexpr double nearly_all = 0.9;   // of the proposals: then weights say nothing that the normal does not
  constexpr double least_share = 0.25; // fewer are too few to resample
  LaplaceCheck check;
  if (fit.unknowns.empty()) return check;
  const Posterior posterior(problem, fit);
  const auto informed = informed_axes(posterior);
  std::mt19937_64 random(options.seed);
  auto from = proposals(options.proposals, posterior.count(), random);
  for (auto& u : from)
    for (Eigen::Index k = 0; k < u.size(); ++k)
      if (!informed[static_cast<std::size_t>(k)]) u(k) = 0;
  std::vector<double> log_weights;
  for (const auto& u : from) log_weights.push_back(posterior.log_weight(u));
  check.pareto_k = pareto_k(log_weights);
  check.effective_share = effective_share(log_weights);
  check.ln_mean_weight = ln_mean(log_weights);
  check.sampled = !(check.pareto_k < largest_trusted_k) || check.effective_share < least_share;
  std::vector<VectorXd> places;
  if (check.sampled) {
    places = run_chains(posterior, informed, from, log_weights, options.draws, random);
  } else if (options.always_draw || check.effective_share < nearly_all) {
    for (const std::size_t i : resampled(log_weights, options.draws)) places.push_back(from[i]);
  }
  check.draws = completed(posterior, informed, places, random);
  return check;
}

} // namespace ddlsim
