#pragma once
// The distribution of a cluster's parameters: the priors, narrowed by its calibration where there is one.

#include "sim/formats/calibration.hpp"
#include "sim/formats/parameters.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ddlsim {

/// The likeliest parameters, and samples drawn from the posterior.
struct Posterior {
  Parameters mode;
  Draws samples;
};

/// The question for which a posterior is needed. It decides which priors and which calibrated parameters apply.
/// A parameter that the calibration identified keeps its fitted value even if the priors have changed since. A
/// parameter that it did not identify has the question's prior; its fitted value counts only if the fit started from
/// that same prior.
struct PosteriorQuestion {
  std::string compute_prior; ///< "compute_measured" or "compute_estimated"
  const Preset& preset;      ///< preset whose priors apply; scope.preset may be a stack without a preset
  bool servers = false;      ///< whether the strategy has servers
  CalibrationScope scope;
  /// the priors from which a fit would start today, one for each of parameter_fields(); empty: they have not changed
  /// since the fit
  std::vector<Prior> fit_priors{};
  std::string series{}; ///< the cluster's series that the question names; "": the question names none
};

/// Draws the z-scores of all calibration.parameters, in posterior_draw_count rows: m + L u, with L the Cholesky factor
/// of their covariance and u stratified normals. The same calibration gives the same draws.
std::vector<std::vector<double>> all_posterior_draws(const Calibration& calibration);

/// Returns the same without the draws that the cluster's measurements contradict. For example, the rate of a server
/// that was never busy may be much higher than seen but not lower, which no normal distribution describes.
std::vector<std::vector<double>> posterior_draws(const Calibration& calibration);

/// Returns the posterior of a question. It starts from the priors' medians and draw_parameters(). Parameters to which
/// `calibration` applies are then moved to its mode and to posterior_draws(). A parameter whose prior has changed since
/// the fit keeps its drawn z-score, on the scale of the new prior. Without a calibration the priors remain. The library
/// and the sharding rule are the likeliest ones.
Posterior find_posterior(const std::vector<Prior>& priors, const Calibration* calibration,
                         const PosteriorQuestion& question, int count, std::uint64_t seed);

/// The scope of parameters of servers. Its preset is the one whose servers the stack runs.
CalibrationScope of_servers(CalibrationScope of_stack, const Preset& preset);

/// For each of parameter_fields(), its position in calibration.parameters, or -1. If several parameters cover the
/// question, the one whose scope names most is taken, and among these the one that started from the question's prior.
/// Parameters of servers count from any stack with the same servers.
std::vector<int> calibrated_fields(const Calibration& calibration, const PosteriorQuestion& question);

} // namespace ddlsim
