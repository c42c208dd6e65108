// The one function of trainer/communication/mpi_session that communicators call; an MPI of threads has no session.
#include "trainer/communication/mpi_session.hpp"
#include "trainer/run_error.hpp"

#include <mpi.h>

namespace ddltrain {

void check_mpi(int status, const std::string& call) {
  if (status != MPI_SUCCESS) throw RunError(call + " failed");
}

} // namespace ddltrain
