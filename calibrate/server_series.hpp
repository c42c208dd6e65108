#pragma once
// Measured exchanges with one server as evidence of the same parameters that decide an iteration.

#include "calibrate/step_evidence.hpp"
#include "sim/files/measurement.hpp"

#include <vector>

namespace ddlsim {

/// One series for each file, series, transport, work (push, pull, push-pull) and number of workers of the cluster's
/// server records of 16 KiB and more; its points are sizes, the middle of the times measured there, as noisy as
/// bare_noise. Records that do not say how many workers, on how many nodes, of which size have no place in it, nor have
/// channels, and servers that share a node with some of their workers and not with all.
std::vector<SeriesEvidence> server_series(const Shelf& shelf, const std::vector<Prior>& priors, const Cluster& cluster,
                                          const std::vector<MeasurementFile>& files);

} // namespace ddlsim
