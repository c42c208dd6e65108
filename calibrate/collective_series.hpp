#pragma once
// Measured all-reduces as evidence of the same parameters that decide an iteration.

#include "calibrate/step_evidence.hpp"
#include "sim/files/measurement.hpp"

#include <vector>

namespace ddlsim {

/// One series for each curve of collective_evidence() that is an all-reduce by a ring, a tree or a library's own choice
/// (taken as a ring) of 16 KiB and more, over a transport that the cluster has; its points are sizes. The law of the
/// simulator is a latency and a rate, and real curves bend between them: a point is as noisy as that law is off, 12 %
/// (Hockney's law over published nccl-tests tables, tests/calibrate/collective_shipped_test.cpp).
std::vector<SeriesEvidence> collective_series(const Shelf& shelf, const std::vector<Prior>& priors,
                                              const Cluster& cluster, const std::vector<MeasurementFile>& files);

} // namespace ddlsim
