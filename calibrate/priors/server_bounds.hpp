#pragma once
// What servers took of the processors while workers trained, as a bound of a server process' rate from below.

#include "calibrate/priors/site_evidence.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/record.hpp"

#include <vector>

namespace ddlsim {

/// Adds to the class of each stack's `server_process_rate` what one core of the cluster's servers got through in a
/// processor second, bytes in and out together, messages' cost included: a process with several cores gets through as
/// much or more. It is no value: how many cores a server process keeps busy is another question.
/// 1. Repeats of a run (series, workers) are one figure, their median.
/// 2. The bound of a class is its highest figure: where tensors are large.
void add_server_bounds(SiteEvidence& evidence, const Cluster& cluster, const std::vector<Prior>& priors,
                       const std::vector<MeasurementFile>& files);

} // namespace ddlsim
