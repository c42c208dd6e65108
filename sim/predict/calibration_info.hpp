#pragma once
// What a cluster's calibration says about one question, beside its parameters: how far measured runs were from the
// model.

#include "sim/formats/calibration.hpp"
#include "sim/formats/model_constants.hpp"
#include "sim/predict/posterior.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <optional>
#include <vector>

namespace ddlsim {

/// A strategy and the algorithm that runs. `library_takes` is the choice of the preset's library, for a strategy that
/// leaves it open.
struct RunningStrategy {
  const Strategy& strategy;
  std::optional<Algorithm> library_takes;
};

/// Returns for this strategy which parameters were narrowed, and the residuals of measured runs: of the series of its
/// stack, or where this batch was not measured, of the series with other batches. `of_prior` is the width of the prior
/// of model_discrepancy.
CalibrationInfo calibration_info_of(const Calibration& calibration, const PosteriorQuestion& question,
                                    const RunningStrategy& requested, const ModelConstants& constants, double of_prior);

} // namespace ddlsim
