#pragma once
#include "trainer/communication/mpi_session.hpp"

#include <exception>

namespace ddltrain {

/// Tells of the failure on standard error and ends the job with its exit status. Ranks above 0 wait a moment first:
/// what all ranks meet at once is then told by rank 0 only, which ends them.
[[noreturn]] void end_job(const MpiSession& mpi, int rank, std::exception_ptr failure);

} // namespace ddltrain
