#pragma once
// The distribution of a cluster's parameters: the priors, narrowed by its calibration where there is one.

#include "sim/formats/calibration.hpp"
#include "sim/formats/parameters.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ddlsim {

/// The likeliest parameters, and many drawn ones.
struct Posterior {
  Parameters mode;
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

/// Draws of the z-scores of all of calibration.parameters, posterior_draw_count rows: m + L u, L the Cholesky factor of
/// their covariance, u stratified normals. The same calibration gives the same draws.
std::vector<std::vector<double>> all_posterior_draws(const Calibration& calibration);

/// The same without those that the cluster's measurements contradict: a server that was never busy has a rate that may
/// be much higher and cannot be lower, which no normal distribution says.
std::vector<std::vector<double>> posterior_draws(const Calibration& calibration);

/// The priors' medians and draw_parameters(). The parameters that hold of `calibration` are then moved to its mode and
/// to posterior_draws(), one after another. One whose prior is another today keeps its drawn z-score, on the scale of
/// that prior. Without a calibration: the priors. The library and the placement of tensors are the likeliest.
Posterior find_posterior(const std::vector<Prior>& priors, const Calibration* calibration,
                         const PosteriorQuestion& question, int count, std::uint64_t seed);

/// The scope that what servers cost has: of the preset whose servers a stack runs.
CalibrationScope of_servers(CalibrationScope of_stack, const Preset& preset);

/// For each of parameter_fields() its position in calibration.parameters, or -1; where several cover the question, the
/// one that names most, and of those the one that started from the question's prior. Parameters of servers from any
/// stack with the same servers cover it.
std::vector<int> calibrated_fields(const Calibration& calibration, const PosteriorQuestion& question);

} // namespace ddlsim
