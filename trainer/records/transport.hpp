#pragma once
// How a job's messages travelled, and by which library, as far as anybody told.

#include "trainer/records/record.hpp"

#include <string>

namespace ddltrain {

/// The library's name in records, from what MPI_Get_library_version says: open-mpi, mpich, intel-mpi, cray-mpich,
/// mvapich; "unknown" for another.
std::string mpi_library_name(const std::string& version_text);

/// The transport's name in records, where the settings leave one only: shm, mpi-tcp, mpi-ib; else "unknown".
/// Of Open MPI, `settings` say it: on one node with "pml" ob1 and "btl" vader or sm, messages go through shared memory;
/// between nodes with ob1 and "btl" tcp they go over TCP; with UCX_TLS of one kind only, by that. Of NCCL and other
/// libraries nothing is known.
std::string known_transport(const std::string& library, int nodes, const ddlsim::Facts& settings);

} // namespace ddltrain
