#pragma once
// End-to-end step times of one cluster, fitted with the simulator in the loop.

#include "calibrate/data/fit_data.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/predict/residual_process.hpp"

#include <vector>

namespace ddlsim {

struct StepFitOptions {
  ResidualProcess alpha_beta{0.03, 0.6, 0.7, 0.5}; ///< before the data say how far series are off
  int noise_rounds = 2;                            ///< fits after which the spread is judged again, by transport
  int threads = 2;
};

/// All series of a cluster at once. Coordinates of the parameters of which the series hang
/// (calibrate/fit/free_parameters.hpp) are the likeliest under their priors; residuals ln(measured / model) of a series
/// are correlated by the law, heavy-tailed once whitened, and their spread is estimated for each transport. Series
/// without points only lend their place. The calibration has parameters, correlation, series and quality; what is left
/// out of that is a series each (z_scores_without).
Calibration fit_steps(const std::vector<SeriesData>& series, const StepFitOptions& options);

} // namespace ddlsim
