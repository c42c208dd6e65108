#include "calibrate/fit/step_fit.hpp"
#include "sim/base/statistics.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

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

/// Laplace's, times what importance weights say of it: the first draws alone are asked for.
double log_evidence(const RobustProblem& robust, const RobustFit& fit, LaplaceCheckOptions weighed) {
  weighed.draws = 0;
  return -fit.cost + ln_root_determinant(covariance_of(robust, fit).llt()) +
         check_laplace(robust, fit, weighed).ln_mean_weight;
}

/// Bhattacharyya's distance between the normal distributions about two fits (A. Bhattacharyya, Bulletin of the Calcutta
/// Mathematical Society 35, 1943): d^2 / 8 for one shape at places d standard deviations apart, more where their shapes
/// differ.
double distance_of_normals(const RobustProblem& robust, const RobustFit& one, const RobustFit& other) {
  const auto of_one = covariance_of(robust, one);
  const auto of_other = covariance_of(robust, other);
  const Eigen::LLT<Eigen::MatrixXd> mean((of_one + of_other) / 2);
  const auto count = of_one.rows();
  const Eigen::VectorXd apart = Eigen::Map<const Eigen::VectorXd>(one.unknowns.data(), count) -
                                Eigen::Map<const Eigen::VectorXd>(other.unknowns.data(), count);
  return mean.matrixL().solve(apart).squaredNorm() / 8 + ln_root_determinant(mean) -
         (ln_root_determinant(of_one.llt()) + ln_root_determinant(of_other.llt())) / 2;
}

/// Whether two searches ended in regions of their own.
bool apart(const RobustProblem& robust, const RobustFit& one, const RobustFit& other) {
  constexpr double far = 3; // standard deviations, between two regions of one shape
  return distance_of_normals(robust, one, other) > far * far / 8;
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
  std::vector<Mode> modes{{std::move(fit), 0, 1}};
  const auto is_new = [&](const RobustFit& one) {
    return std::all_of(modes.begin(), modes.end(), [&](const Mode& mode) { return apart(robust, mode.fit, one); });
  };
  for (const auto& ended : others) {
    if (!is_new(ended)) continue;
    auto other = fit_robust(robust, ended.unknowns);
    if (is_new(other)) modes.push_back({std::move(other), 0, 1});
  }
  if (modes.size() == 1) return modes;
  for (auto& mode : modes) mode.log_evidence = log_evidence(robust, mode.fit, draws);
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

double doubt_left(const Calibration& calibration, std::size_t parameter) {
  const double in_likeliest = calibration.parameters[parameter].error;
  if (calibration.form.modes == 1) return in_likeliest;
  std::vector<double> z_scores;
  for (const auto& draw : calibration.form.draws) z_scores.push_back(draw[parameter]);
  return std::max(in_likeliest, standard_deviation(z_scores));
}

} // namespace ddlsim
