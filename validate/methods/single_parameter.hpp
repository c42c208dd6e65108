#pragma once
// Why the simulator is far off in one series: its median predictions taken apart, and the parameter that would have to
// differ.

#include "calibrate/data/fit_data.hpp"
#include "validate/method.hpp"

#include <vector>

namespace ddlsim {

/// One target of a series and the sample that its median prediction was made in.
struct ExplainedPoint {
  DataPoint point; ///< with the measured time
  Parameters sample;
};

/// The parts of each point, and of all parameter_fields() but model_discrepancy (which names no cause) the one whose value,
/// the same at all points, leaves the least mean error; searched between three standard deviations of its prior on
/// either side of the prior's median. Of several that do about as well, the one that moves by the fewest standard
/// deviations.
Explanation explain_points(const SeriesData& evidence, const std::vector<ExplainedPoint>& points);

} // namespace ddlsim
