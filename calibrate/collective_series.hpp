#pragma once
// Measured all-reduces and messages as evidence of the same parameters that decide an iteration.

#include "calibrate/step_evidence.hpp"
#include "sim/files/measurement.hpp"

#include <vector>

namespace ddlsim {

/// One series for each curve of collective_evidence() of 16 KiB and more over a transport that the cluster has: an
/// all-reduce by a ring, a tree or a library's own choice (as the preset's priors have it), or a message whose record
/// says whether it crossed nodes, and did so no faster than the wire. Its points are sizes, as noisy as bare_noise.
std::vector<SeriesEvidence> collective_series(const Shelf& shelf, const std::vector<Prior>& priors,
                                              const Cluster& cluster, const std::vector<MeasurementFile>& files);

} // namespace ddlsim
