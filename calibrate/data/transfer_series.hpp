#pragma once
// What evidence of transfers alone has in common, whichever transfer it is.

#include "calibrate/data/fit_data.hpp"
#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddlsim {
/// How far the simulator's law of a latency and a rate is off real transfers over sizes, which bend between the two:
/// Hockney's law over published nccl-tests tables (tests/calibrate/collective_shipped_test.cpp).
constexpr double transfer_noise = 0.12;
/// Below, libraries have protocols of their own (NCCL's LL, MPI's eager messages) that training's groups do not use.
constexpr double least_transfer_bytes = 16 * 1024;

/// A series without points. Its scope is the transport; priors are those of `preset`, "" for no stack in particular.
SeriesData empty_transfer_series(const ReferenceData& reference, const std::vector<Prior>& priors,
                                 const Cluster& cluster, const Transport& transport, const std::string& preset,
                                 Measured measured);

// Measured all-reduces and messages as evidence of the same parameters that decide an iteration.

/// One series for each curve of collective_data() of 16 KiB and more over a transport that the cluster has: an
/// all-reduce by a ring, a tree or a library's own choice (as the preset's priors have it), or a message whose record
/// says whether it crossed nodes, and did so no faster than the wire. Its points are sizes, as noisy as transfer_noise.
std::vector<SeriesData> collective_series(const ReferenceData& reference, const std::vector<Prior>& priors,
                                          const Cluster& cluster, const std::vector<MeasurementFile>& files);

// Measured exchanges with one server as evidence of the same parameters that decide an iteration.

/// One series for each file, series, transport, work (push, pull, push-pull) and number of workers of the cluster's
/// server records of 16 KiB and more; its points are sizes, the middle of the times measured there, as noisy as
/// transfer_noise. Records that do not say how many workers, on how many nodes, of which size have no place in it, nor have
/// channels, and servers that share a node with some of their workers and not with all.
std::vector<SeriesData> server_series(const ReferenceData& reference, const std::vector<Prior>& priors,
                                      const Cluster& cluster, const std::vector<MeasurementFile>& files);

} // namespace ddlsim
