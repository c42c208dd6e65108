#pragma once
// Fits the simulator's parameters to the measured step times of one cluster. Every residual is of a simulated step.

#include "calibrate/data/fit_data.hpp"
#include "sim/base/robust_fit.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/model_constants.hpp"
#include "sim/predict/residual_process.hpp"

#include <vector>

namespace ddlsim {

/// The loss of a fit's priors. Its tail is heavier than that of a normal distribution, so that strong evidence
/// overrides a prior.
inline constexpr Loss step_prior_loss = Loss::student_t3;

struct StepFitOptions {
  ModelConstants constants{};
  ResidualProcess residual_process() const; ///< the process before the fit estimates its scale
  int noise_rounds = 2; ///< number of fits after which the noise of each transport is estimated again
  int threads = 1;      ///< number of threads; the result of a fit does not depend on it
};

/// Fits all series of a cluster at once, starting from the priors' medians. The free parameters
/// (calibrate/fit/free_parameters.hpp) get their most probable values under their priors, and the covariance by the
/// derivatives there (Laplace approximation). If a library's algorithm is not known, the most probable one is taken.
/// The residuals ln(measured / model) of one series are correlated by the residual process, and heavy-tailed once
/// whitened. Their spread is estimated for each transport. A parameter about which no point says anything is not fitted
/// and keeps its prior.
/// The calibration gets parameters, correlation, series, algorithm choices and quality. Its leave-one-out error
/// predicts each series by a fit without it (unknowns_without).
Calibration fit_steps(const std::vector<SeriesData>& series, const StepFitOptions& options);

} // namespace ddlsim
