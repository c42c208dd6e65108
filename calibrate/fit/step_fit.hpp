#pragma once
// End-to-end step times of one cluster, fitted with the simulator in the loop.

#include "calibrate/data/fit_data.hpp"
#include "sim/base/robust_fit.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/model_constants.hpp"
#include "sim/predict/residual_process.hpp"

#include <vector>

namespace ddlsim {

/// The loss of a fit's priors. Its tail is heavier than a normal's, so that strong evidence overrides a prior.
inline constexpr Loss step_prior_loss = Loss::student_t3;

struct StepFitOptions {
  ModelConstants constants{};
  ResidualProcess residual_process() const; ///< before the data say how far series are off
  int noise_rounds = 2;                     ///< fits after which the noise of each transport is estimated again
  int threads = 1;                          ///< no fit depends on it
};

/// Fits all series of a cluster at once, from the priors' medians. The free parameters
/// (calibrate/fit/free_parameters.hpp) come out at their likeliest under their priors, with the covariance that the
/// slopes there say (Laplace). Where a library's algorithm is not known, the likeliest is taken. Residuals ln(measured
/// / model) of one series are correlated by the residual process and heavy-tailed once whitened; their spread is
/// estimated for each transport. A parameter that no point informs is left out: its prior holds. The calibration gets
/// parameters, correlation, series, algorithm choices and quality; its leave-one-out error predicts each series from a
/// fit without it (unknowns_without).
Calibration fit_steps(const std::vector<SeriesData>& series, const StepFitOptions& options);

} // namespace ddlsim
