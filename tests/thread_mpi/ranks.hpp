#pragma once
// Runs ranks as threads of this process, on the MPI of this folder.

#include <functional>

namespace ddlsim_test {

/// `body` on each of so many ranks, a thread each, for which MPI_COMM_WORLD is the group of them all. What one throws
/// ends the program. Catch2's assertions belong behind it: they are for one thread.
void run_ranks(int ranks, const std::function<void(int rank)>& body);

} // namespace ddlsim_test
