#pragma once
// What a cluster's calibration knows of one question beside its parameters: how far such runs were from the model.

#include "sim/formats/calibration.hpp"
#include "sim/formats/model_constants.hpp"
#include "sim/predict/posterior.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <optional>
#include <vector>

namespace ddlsim {

/// A strategy as it runs: where it leaves the algorithm open, `library_takes` is what the preset's library does.
struct RunningStrategy {
  const Strategy& strategy;
  std::optional<Algorithm> library_takes;
};

/// What the calibration knows of this strategy: its stack's series, else those with other batches, else `of_prior`, the
/// width of what no parameter explains (model_discrepancy).
CalibrationInfo calibration_info_of(const Calibration& calibration, const PosteriorQuestion& question,
                                    const RunningStrategy& requested, const ModelConstants& constants, double of_prior);

} // namespace ddlsim
