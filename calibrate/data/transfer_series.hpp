#pragma once
// Micro-benchmarks of transfers (all-reduces, messages, exchanges with a server) as series that a fit can use.

#include "calibrate/data/fit_data.hpp"
#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddlsim {
/// Bytes of the smallest transfer that is fitted. For smaller ones libraries use protocols (NCCL's LL, MPI's eager
/// messages) that the buffers of training do not use.
constexpr double least_transfer_bytes = 16 * 1024;

/// A series without points. Its scope is the transport. Its priors are those of `preset`, or of no stack if that is "".
SeriesData empty_transfer_series(const ReferenceData& reference, const std::vector<Prior>& priors,
                                 const Cluster& cluster, const Transport& transport, const std::string& preset,
                                 Measured measured);

/// Series of all-reduces and messages: one for each curve of collective_data() over a transport that the cluster has. A
/// curve is an all-reduce by a ring, a tree or a library's own choice (as the preset lists it), or a message. The
/// record of a message must say whether it crossed nodes, and the message must not be faster than the wire. The
/// library's version is that of the records where they state one, else the preset's. Points are sizes of `least_bytes`
/// and more, with the noise transfer_noise of the reference data.
std::vector<SeriesData> collective_series(const ReferenceData& reference, const std::vector<Prior>& priors,
                                          const Cluster& cluster, const std::vector<MeasurementFile>& files,
                                          double least_bytes = least_transfer_bytes);

/// Series of exchanges with one server: one for each file, series, transport, work (push, pull, push-pull) and number
/// of workers of the cluster's server records. Points are sizes of 16 KiB and more with the median of their times and
/// the noise transfer_noise of the reference data. Left out are records that do not state workers, nodes or size, and
/// records whose server shares a node with some of its workers but not with all.
std::vector<SeriesData> server_series(const ReferenceData& reference, const std::vector<Prior>& priors,
                                      const Cluster& cluster, const std::vector<MeasurementFile>& files);

/// Time of one transfer in that sample, by the formulas that an iteration uses:
///   all-reduce   operation cost + all_reduce_s
///   message      latency + size / rate of the path: between nodes the NIC's, inside a node that between its ranks
///   push-pull    server_exchange_closed_form of one tensor on one server; push or pull alone take half of it
/// The server is on a node of its own or, where all ranks are on one node, reached by memory copies. One tensor is
/// pushed before it is pulled, so that no link is busy in both directions and server_duplex plays no part.
double transfer_time_s(Measured measured, const StepSetup& setup, const DataPoint& point, const Parameters& sample);

} // namespace ddlsim
