#pragma once
// How a job's collective library runs a collective: which algorithm and protocol it takes for a size.

#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/library_version.hpp"
#include "sim/library/nccl_choice.hpp"

#include <optional>
#include <string>

namespace ddlsim {

/// All that decides which algorithm and protocol run a collective.
struct LibraryRules {
  LibraryVersion library{CollectiveLibrary::grpc}; ///< rings, where nobody says
  std::optional<Algorithm> forced{};               ///< of an all-reduce, where the strategy names it
  NcclJob nccl{};                                  ///< read for NCCL only
  CollectiveOperation operation = CollectiveOperation::all_reduce;

  bool operator==(const LibraryRules&) const = default;
};

/// The largest collective of an iteration, and how it is run.
struct LargestCollective {
  CollectiveKind collective;
  Protocol protocol = Protocol::none;
  double size_bytes = 0;
};

/// How the library runs collectives on that many ranks, before their size is known.
struct AlgorithmChooser {
  LibraryRules rules;
  int ranks = 1;
  std::optional<NcclCandidates> nccl{}; ///< of NCCL on more than one rank
};

AlgorithmChooser algorithm_chooser(const LibraryRules& rules, int ranks);

/// How the library runs a collective of that size. No library names an algorithm for another operation than an
/// all-reduce: all of them go round a ring with large messages.
AlgorithmAndProtocol choose_algorithm(const AlgorithmChooser& chooser, double size_bytes);
AlgorithmAndProtocol choose_algorithm(const LibraryRules& rules, int ranks, double size_bytes);

/// Bytes that travel for so many bytes of gradient: LL sends 8 for 4, LL128 128 for 120.
double wire_bytes(Protocol protocol, double size_bytes);

/// Why the library cannot run the algorithm that the strategy names, one sentence; "" where it can.
std::string forced_complaint(const LibraryRules& rules, int ranks);

// The all-reduce that an MPI library takes by the size of the vector and the ranks: its tables of fixed decisions.

/// Open MPI up to 4.0 (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of 4.0.3): recursive doubling below 10,000
/// bytes, else a ring. From 4.1 on (the same file of 4.1.4, for sums that commute): by a table of ranks and bytes,
/// mostly Rabenseifner's halving and doubling above 4 to 256 KiB; its linear and its non-overlapping one are
/// taken as a tree, a segmented ring as a ring.
/// MPICH (src/mpi/coll/allreduce, 3.3) and its relatives: recursive doubling up to 2,048 bytes, else halving-doubling.
/// Intel MPI's own tables are not published; it is taken as MPICH.
Algorithm mpi_choice(const LibraryVersion& version, int ranks, double size_bytes);

} // namespace ddlsim
