#pragma once
// Which unknowns a fit has, and which of them each series hangs on.

#include "calibrate/step_evidence.hpp"

#include <Eigen/Core>

#include <vector>

namespace ddlsim {

struct Latent {
  std::size_t field = 0; ///< of parameter_fields()
  CalibrationScope scope;
  Prior prior;
};

struct Latents {
  std::vector<Latent> all;
  std::vector<std::vector<int>> of_series; ///< for each series and field its latent; -1: not fitted
};

/// One latent for every field, scope and prior that occur, in the order of series and fields. Compute is the model's in
/// all stacks while they share one one-GPU time, and the stack's own where they do not.
Latents find_latents(const std::vector<SeriesEvidence>& series);

/// The world of one series at these coordinates.
Parameters world_at(const Latents& latents, const SeriesEvidence& evidence, std::size_t series,
                    const Eigen::VectorXd& coordinates);

} // namespace ddlsim
