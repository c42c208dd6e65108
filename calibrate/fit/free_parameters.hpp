#pragma once
// Which unknowns a fit has, and which of them each series depends on.

#include "calibrate/data/fit_data.hpp"
#include "sim/formats/calibration.hpp"

#include <string>
#include <vector>

namespace ddlsim {
struct FreeParameter {
  std::size_t field = 0; ///< position in parameter_fields()
  CalibrationScope scope;
  Prior prior;
};

struct FreeParameters {
  std::vector<FreeParameter> all;
  std::vector<std::vector<int>> of_series; ///< position in `all` for each series and field; -1: the field is not fitted
};

/// Makes one free parameter for every combination of field, scope and prior, in the order of series and fields. All
/// series that start from the same one-GPU time share a compute factor. All stacks with the same servers share the
/// servers' costs.
FreeParameters find_free_parameters(const std::vector<SeriesData>& series);

/// The parameters of one series for these z-scores of the free parameters.
Parameters sample_at(const FreeParameters& free_parameters, const SeriesData& fit_data, std::size_t series,
                     const std::vector<double>& z_scores);

// Decides which series share a parameter: those over one transport, of one stack or of one model.

/// The part of the scope `full` over which a parameter has one value.
CalibrationScope scope_of(const ParameterField& field, const CalibrationScope& full);

} // namespace ddlsim
