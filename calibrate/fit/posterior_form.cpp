#include "calibrate/fit/step_fit.hpp"
#include "sim/base/statistics.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <random>

namespace ddlsim {
namespace {

Eigen::MatrixXd covariance_of(const RobustProblem& robust, const RobustFit& fit) {
  const auto covariance = uncertainty_of(robust, fit).covariance;
  const auto count = static_cast<Eigen::Index>(covariance.rows);
  return Eigen::Map<const Eigen::MatrixXd>(covariance.values.data(), count, count);
}

/// ln of the determinant's root.
double ln_root_determinant(const Eigen::LLT<Eigen::MatrixXd>& factor) {
  return factor.matrixLLT().diagonal().array().log().sum();
}

/// Laplace's evidence, times what the importance weights of its proposals say of it.
double log_evidence(const RobustProblem& robust, const RobustFit& fit, LaplaceCheckOptions weighed) {
  weighed.draws = 0;
  return -fit.cost + ln_root_determinant(covariance_of(robust, fit).llt()) +
         check_laplace(robust, fit, weighed).ln_mean_weight;
}

/// How far one normal distribution spreads about another's centre, in the direction in which it does most: root mean
/// square, in the other's standard deviations. 1 where they are the same, 0 where nothing is unknown.
double reach_beyond(const RobustProblem& robust, const RobustFit& one, const RobustFit& other) {
  if (one.unknowns.empty()) return 0;
  const auto count = static_cast<Eigen::Index>(one.unknowns.size());
  const Eigen::VectorXd apart = Eigen::Map<const Eigen::VectorXd>(one.unknowns.data(), count) -
                                Eigen::Map<const Eigen::VectorXd>(other.unknowns.data(), count);
  const Eigen::MatrixXd spread = covariance_of(robust, one) + apart * apart.transpose();
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(spread, covariance_of(robust, other),
                                                                         Eigen::EigenvaluesOnly | Eigen::Ax_lBx);
  return std::sqrt(solver.eigenvalues().maxCoeff());
}

constexpr double far_apart = 3; ///< standard deviations

/// Whether the normal distributions about two ends say the same.
bool alike(const RobustProblem& robust, const RobustFit& one, const RobustFit& other) {
  return reach_beyond(robust, one, other) <= far_apart && reach_beyond(robust, other, one) <= far_apart;
}

/// Whether one of two ends lies within the other's region: the bend where a bound begins, and what lies above it.
bool in_one_region(const RobustProblem& robust, const RobustFit& one, const RobustFit& other) {
  return reach_beyond(robust, one, other) <= far_apart || reach_beyond(robust, other, one) <= far_apart;
}

/// The fit, and where the other searches end, each once.
std::vector<Mode> find_ends(const RobustProblem& robust, RobustFit fit, const std::vector<RobustFit>& others) {
  std::vector<Mode> ends{{std::move(fit), 0, 1}};
  const auto is_new = [&](const RobustFit& one) {
    return std::none_of(ends.begin(), ends.end(), [&](const Mode& end) { return alike(robust, end.fit, one); });
  };
  for (const auto& ended : others) {
    if (!is_new(ended)) continue;
    auto other = fit_robust(robust, ended.unknowns);
    if (is_new(other)) ends.push_back({std::move(other), 0, 1});
  }
  return ends;
}

/// Of each region the end of most evidence.
std::vector<Mode> one_a_region(const RobustProblem& robust, std::vector<Mode> ends) {
  std::stable_sort(ends.begin(), ends.end(),
                   [](const Mode& a, const Mode& b) { return a.log_evidence > b.log_evidence; });
  std::vector<Mode> modes;
  for (auto& end : ends)
    if (std::none_of(modes.begin(), modes.end(),
                     [&](const Mode& mode) { return in_one_region(robust, mode.fit, end.fit); }))
      modes.push_back(std::move(end));
  return modes;
}

void shuffle(std::vector<std::vector<double>>& draws) {
  std::mt19937_64 random(1);
  auto shuffled = draws;
  const auto order = random_order(static_cast<int>(draws.size()), random);
  for (std::size_t i = 0; i < order.size(); ++i) shuffled[i] = draws[static_cast<std::size_t>(order[i])];
  draws = std::move(shuffled);
}

} // namespace

std::vector<Mode> find_modes(const RobustProblem& robust, RobustFit fit, const std::vector<RobustFit>& others,
                             const LaplaceCheckOptions& draws) {
  constexpr double least_share = 0.02;
  auto ends = find_ends(robust, std::move(fit), others);
  if (ends.size() == 1) return ends;
  for (auto& end : ends) end.log_evidence = log_evidence(robust, end.fit, draws);
  auto modes = one_a_region(robust, std::move(ends));
  double sum = 0;
  for (auto& mode : modes) sum += mode.share = std::exp(mode.log_evidence - modes.front().log_evidence);
  std::erase_if(modes, [&](const Mode& mode) { return mode.share < least_share * sum; });
  sum = 0;
  for (const auto& mode : modes) sum += mode.share;
  for (auto& mode : modes) mode.share /= sum;
  return modes;
}

PosteriorForm form_of(const RobustProblem& robust, const std::vector<Mode>& modes, const LaplaceCheckOptions& draws) {
  PosteriorForm form;
  form.modes = static_cast<int>(modes.size());
  for (const auto& mode : modes) {
    auto options = draws;
    options.draws = std::max(1, static_cast<int>(std::lround(mode.share * draws.draws)));
    options.always_draw = draws.always_draw || modes.size() > 1;
    const auto check = check_laplace(robust, mode.fit, options);
    form.pareto_k = std::max(form.pareto_k, check.pareto_k);
    form.effective_share = std::min(form.effective_share, check.effective_share);
    form.sampled = form.sampled || check.sampled;
    form.draws.insert(form.draws.end(), check.draws.begin(), check.draws.end());
  }
  shuffle(form.draws); // the first few of them are then like all
  return form;
}

double doubt_left(const Calibration& calibration, std::size_t parameter) {
  const double in_likeliest = calibration.parameters[parameter].error;
  if (calibration.form.modes == 1) return in_likeliest;
  std::vector<double> z_scores;
  for (const auto& draw : calibration.form.draws) z_scores.push_back(draw[parameter]);
  return std::max(in_likeliest, standard_deviation(z_scores));
}

} // namespace ddlsim
