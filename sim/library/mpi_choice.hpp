#pragma once
// The all-reduce that an MPI library takes by the size of the vector and the ranks: its tables of fixed decisions.

#include "sim/formats/library_version.hpp"

namespace ddlsim {

/// Open MPI up to 4.0 (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of 4.0.3): recursive doubling below 10,000 bytes, else a
/// ring. From 4.1 on (the same file of 4.1.4, for sums that commute): by a table of ranks and bytes, mostly
/// Rabenseifner's halving and doubling above 4 to 256 KiB; its linear and its non-overlapping way are
/// taken as a tree, a segmented ring as a ring.
/// MPICH (src/mpi/coll/allreduce, 3.3) and its relatives: recursive doubling up to 2,048 bytes, else halving-doubling.
/// Intel MPI's own tables are not published; it is taken as MPICH.
Algorithm mpi_choice(const LibraryVersion& version, int ranks, double size_bytes);

} // namespace ddlsim
