#pragma once
#include <string>

namespace ddltrain {

/// Throws RunError with MPI's own words and the name of the call, unless `status` is MPI_SUCCESS.
void check_mpi(int status, const std::string& call);

} // namespace ddltrain
