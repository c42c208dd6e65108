#pragma once
// Which measurement would narrow most what is predicted where nobody measured yet.

#include "calibrate/data/fit_data.hpp"
#include "sim/formats/calibration.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

struct NextMeasurement {
  std::string run;       ///< what to measure
  std::string predicted; ///< series and scale whose interval it narrows
  double now = 0;        ///< half of that 90 % interval, of ln iteration time
  double then = 0;       ///< the same once it is measured
};

/// The `most` best, the most narrowing first, each run once and none that gains less than a hundredth. The predictions
/// to narrow: for each way of synchronising that the cluster measured over a transport, four times its largest scale or
/// as far as the cluster may grow. Candidates, on no more nodes than there are: the same run on twice the nodes or on
/// two; all-reduces alone between two nodes (small and large); the largest measured model with one server of its own;
/// one GPU where none was measured. How far a candidate narrows a prediction is a linear regression over samples drawn
/// from the calibration (width_left), with the residual process for what no parameter explains (estimate_residual).
std::vector<NextMeasurement> next_measurements(const std::vector<SeriesData>& series, const std::vector<Prior>& priors,
                                               const Calibration& calibration, std::size_t most);

} // namespace ddlsim
