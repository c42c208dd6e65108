#pragma once
// How a job's messages travelled, and by which library, as far as anybody told.

#include "trainer/records/record.hpp"

#include <string>
#include <vector>

namespace ddltrain {

/// The library's name in records, from what MPI_Get_library_version says: open-mpi, mpich, intel-mpi, cray-mpich,
/// mvapich; "unknown" for another.
std::string mpi_library_name(const std::string& version_text);

/// The transport's name in records, where the settings leave one only: shm, mpi-tcp, mpi-ib; else "unknown".
/// Of Open MPI, `settings` say it: on one node with "pml" ob1 and "btl" vader or sm, messages go through shared memory;
/// between nodes with ob1 and "btl" tcp they go over TCP; with UCX_TLS of one kind only, by that. Of other
/// libraries nothing is known; NCCL says it itself.
std::string known_transport(const std::string& library, int nodes, const ddlsim::Facts& settings);

/// The ways between GPUs that NCCL named in what it wrote (NCCL_DEBUG=INFO: "Channel 00/0 : 0[0] -> 1[1] [send] via
/// NET/IB/0/GDRDMA"), each once: "NET/IB P2P".
std::string nccl_ways(const std::string& log);

/// The transport's name in records, from nccl_ways of all ranks. Between nodes the network decides: nccl-ib, nccl-tcp
/// (sockets); on one node shm where every way is shared memory. "unknown" for a plugin's network, for peer-to-peer
/// copies, which records have no name for, and where nothing was written.
std::string nccl_transport(const std::vector<std::string>& ways_of_ranks);

} // namespace ddltrain
