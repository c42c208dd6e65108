#pragma once
// Whether the normal distribution about a fit's likeliest unknowns says what the data leave of them, and draws that do
// where it does not.

#include "sim/base/robust_fit.hpp"

#include <cstdint>
#include <vector>

namespace ddlsim {

/// Shape of the generalised Pareto distribution that the largest importance weights follow. Below 0.7 sums over the
/// weights can be trusted; above, the proposal misses a part of the target (A. Vehtari, D. Simpson, A. Gelman, Y. Yao
/// and J. Gabry, Journal of Machine Learning Research 25, 2024, sections 3 and 4; the shape as J. Zhang and M. Stephens
/// estimate it, Technometrics 51, 2009). 0 where the weights are equal.
double pareto_k(const std::vector<double>& log_weights);
inline constexpr double largest_trusted_k = 0.7;

/// (sum w)^2 / sum w^2 over the number of weights: 1 where all are equal.
double effective_share(const std::vector<double>& log_weights);

struct LaplaceCheck {
  double pareto_k = 0;
  double effective_share = 1;
  /// ln of the weights' mean: the posterior's mass over that of Laplace's normal distribution (importance sampling).
  double ln_mean_weight = 0;
  bool sampled = false; ///< the draws are a Markov chain's: the importance weights cannot be trusted
  /// Equally likely draws of the unknowns; none where Laplace's normal distribution stands.
  std::vector<std::vector<double>> draws;
};

struct LaplaceCheckOptions {
  int proposals = 100;      ///< drawn from the normal distribution and weighed
  int draws = 100;          ///< kept where it does not stand
  bool always_draw = false; ///< also where the normal distribution stands
  std::uint64_t seed = 1;
};

/// 1. Draws from the fit's normal distribution (uncertainty_of) are weighed against the posterior. Every residual and
///    prior keeps the weight that the robust fit ended with (a heavy-tailed distribution is a mixture of normals, and
///    the weight says of which one the value came), so that the normal distribution is exact where residuals are
///    linear:
///      ln w = |u|^2 / 2 - [Q(z) - Q(fit)],   Q = sum of weight x residual^2 / 2,   z = fit + A u,   A A^T = covariance
///    Only columns of A along which the data say something are drawn; the others keep their normal
///    distribution.
/// 2. The normal distribution stands where Pareto's k is below 0.7 and the effective share above 0.9.
/// 3. Where k is below 0.7 and the share above 0.25 the draws are resampled by their weights.
/// 4. Else a Markov chain that leaves the normal distribution unchanged and accepts by w (preconditioned
///    Crank-Nicolson: S. Cotter, G. Roberts, A. Stuart and D. White, Statistical Science 28, 2013) starts at the
///    weightiest proposals.
LaplaceCheck check_laplace(const RobustProblem& problem, const RobustFit& fit, const LaplaceCheckOptions& options = {});

} // namespace ddlsim
