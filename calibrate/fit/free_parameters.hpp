#pragma once
// Which unknowns a fit has, and which of them each series depends on.

#include "calibrate/data/fit_data.hpp"
#include "sim/formats/calibration.hpp"

#include <string>
#include <vector>

namespace ddlsim {
struct FreeParameter {
  std::size_t field = 0; ///< of parameter_fields()
  CalibrationScope scope;
  Prior prior;
};

struct FreeParameters {
  std::vector<FreeParameter> all;
  std::vector<std::vector<int>> of_series; ///< for each series and field its free parameter; -1: not fitted
};

/// One free parameter for every field, scope and prior that occur, in the order of series and fields. A compute
/// factor is of all series that start from one one-GPU time, and what servers cost of all stacks with the same servers.
FreeParameters find_free_parameters(const std::vector<SeriesData>& series);

/// The sample of one series where the free parameters have these z-scores.
Parameters sample_at(const FreeParameters& free_parameters, const SeriesData& fit_data, std::size_t series,
                     const std::vector<double>& z_scores);

// Which series share a parameter: those over one transport, of one stack, of one model.

/// The part of `full` that shares a value of the parameter.
CalibrationScope scope_of(const ParameterField& field, const CalibrationScope& full);

} // namespace ddlsim
