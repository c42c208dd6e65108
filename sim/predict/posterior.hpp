#pragma once
// Posterior of a cluster's parameters: the priors, narrowed by its calibration where there is one.

#include "sim/formats/calibration.hpp"
#include "sim/formats/parameters.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ddlsim {

/// The likeliest sample, and many drawn ones.
struct Posterior {
  Parameters median;
  Draws samples;
};

/// What is asked about: which priors hold, which calibrated parameters cover it.
struct PosteriorQuestion {
  std::string compute_prior; ///< compute_measured, compute_transferred, compute_roofline
  const Preset& preset;      ///< whose priors hold; scope.preset may name a stack that has no preset
  bool servers = false;      ///< the strategy has servers
  CalibrationScope scope;
};

/// Samples of draw_parameters(); the parameters that `calibration` knows are then moved to its joint normal
/// distribution: z-scores m + L u, with L the Cholesky factor of their covariance. Without a calibration: the priors.
Posterior find_posterior(const std::vector<Prior>& priors, const Calibration* calibration,
                         const PosteriorQuestion& question, int count, std::uint64_t seed);

/// For each of parameter_fields() its position in calibration.parameters, or -1; where several cover the question, the
/// one that names most.
std::vector<int> calibrated_fields(const Calibration& calibration, const CalibrationScope& asked);

} // namespace ddlsim
