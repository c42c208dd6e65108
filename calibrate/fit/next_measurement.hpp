#pragma once
// Finds the measurement that would most narrow the predictions for scales and setups that nobody has measured yet.

#include "calibrate/data/fit_data.hpp"
#include "sim/formats/calibration.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

struct NextMeasurement {
  std::string run;       ///< the run to measure, in words
  std::string predicted; ///< the series and scale whose interval becomes narrower
  double now = 0;        ///< half-width of that 90 % interval of ln iteration time
  double then = 0;       ///< this width after the measurement
};

/// Returns the `most` best candidates, the one that narrows a prediction most first. A run is listed once, and not at
/// all if it gains less than a hundredth.
/// The predictions to narrow: for each kind of synchronisation that the cluster measured over a transport, four times
/// its largest scale, or as far as the cluster may grow.
/// The candidates, on no more nodes than there are: the same run on twice the nodes or on two; small and large
/// all-reduces alone between two nodes; the largest measured model with one server of its own; one GPU if none was
/// measured.
/// A linear regression over samples drawn from the calibration says how far a candidate narrows a prediction
/// (width_left). The residual process covers the errors that no parameter explains (estimate_residual).
std::vector<NextMeasurement> next_measurements(const std::vector<SeriesData>& series, const std::vector<Prior>& priors,
                                               const Calibration& calibration, std::size_t most);

} // namespace ddlsim
