#include "calibrate/fit/step_fit.hpp"
#include "sim/base/statistics.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <random>

namespace ddlsim {
namespace {

double log_evidence(const RobustProblem& robust, const RobustFit& fit) {
  const auto covariance = uncertainty_of(robust, fit).covariance;
  const auto count = static_cast<Eigen::Index>(covariance.rows);
  const Eigen::LLT<Eigen::MatrixXd> factor(Eigen::Map<const Eigen::MatrixXd>(covariance.values.data(), count, count));
  return -fit.cost + factor.matrixLLT().diagonal().array().log().sum();
}

/// Whether two searches ended in regions of their own.
bool apart(const RobustProblem& robust, const RobustFit& one, const RobustFit& other) {
  constexpr double far = 3; // standard deviations of one unknown
  const auto covariance = uncertainty_of(robust, one).covariance;
  for (std::size_t i = 0; i < one.unknowns.size(); ++i)
    if (std::abs(one.unknowns[i] - other.unknowns[i]) > far * std::sqrt(covariance(i, i))) return true;
  return false;
}

void shuffle(std::vector<std::vector<double>>& draws) {
  std::mt19937_64 random(1);
  auto shuffled = draws;
  const auto order = random_order(static_cast<int>(draws.size()), random);
  for (std::size_t i = 0; i < order.size(); ++i) shuffled[i] = draws[static_cast<std::size_t>(order[i])];
  draws = std::move(shuffled);
}

} // namespace

std::vector<Mode> find_modes(const RobustProblem& robust, RobustFit fit, const std::vector<RobustFit>& others) {
  constexpr double least_share = 0.02;
  std::vector<Mode> modes{{std::move(fit), 0, 1}};
  for (const auto& ended : others) {
    if (!apart(robust, modes.front().fit, ended)) continue;
    auto other = fit_robust(robust, ended.unknowns);
    if (apart(robust, modes.front().fit, other)) modes.push_back({std::move(other), 0, 1});
  }
  if (modes.size() == 1) return modes;
  for (auto& mode : modes) mode.log_evidence = log_evidence(robust, mode.fit);
  std::stable_sort(modes.begin(), modes.end(),
                   [](const Mode& a, const Mode& b) { return a.log_evidence > b.log_evidence; });
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

} // namespace ddlsim
