#pragma once
// The distribution of a cluster's parameters: the priors, narrowed by its calibration where there is one.

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

/// What a posterior is for: which priors hold, which calibrated parameters cover it.
///
/// A parameter that the calibration identified keeps its fitted value, whatever the priors say today. One that it did
/// not identify is the prior's of the question: what the fit did to it counts only where the fit started from that same
/// prior.
struct PosteriorQuestion {
  std::string compute_prior; ///< compute_measured, compute_transferred, compute_roofline
  const Preset& preset;      ///< whose priors hold; scope.preset may be a stack without a preset of its own
  bool servers = false;      ///< the strategy has servers
  CalibrationScope scope;
  std::vector<Prior> fit_priors{}; ///< of parameter_fields(): what a fit would start from today; empty: what it did
  std::string series{};            ///< the cluster's series that is meant; "": any
};

/// Samples drawn by draw_parameters(); the parameters that hold of `calibration` are then moved to its joint normal
/// distribution: z-scores m + L u, L the Cholesky factor of their covariance; or to its draws in turn, where it has
/// some. One whose prior is another today keeps its drawn z-score, on the scale of that prior. Without a calibration:
/// the priors.
Posterior find_posterior(const std::vector<Prior>& priors, const Calibration* calibration,
                         const PosteriorQuestion& question, int count, std::uint64_t seed);

/// The scope that what servers cost has: of the preset whose servers a stack runs.
CalibrationScope of_servers(CalibrationScope of_stack, const Preset& preset);

/// For each of parameter_fields() its position in calibration.parameters, or -1; where several cover the question, the
/// one that names most, and of those the one that started from the question's prior. Of servers, those that were
/// learnt from any stack with the same servers cover it.
std::vector<int> calibrated_fields(const Calibration& calibration, const PosteriorQuestion& question);

} // namespace ddlsim
