#pragma once
#include "trainer/communication/mpi_session.hpp"

#include <exception>
#include <functional>

namespace ddltrain {

/// Tells of the failure on standard error and ends the job with its exit status. Ranks above 0 wait a moment first:
/// what all ranks meet at once is then told by rank 0 only, which ends them.
[[noreturn]] void end_job(const MpiSession& mpi, int rank, std::exception_ptr failure);

/// Makes this process a rank of the job that a launcher started, and runs `body`, the same function on all ranks. When
/// it throws the whole job ends by end_job: other ranks may wait for this one for ever, also in MPI_Finalize.
void run_as_rank(const std::function<void(const MpiSession& mpi)>& body);

} // namespace ddltrain
