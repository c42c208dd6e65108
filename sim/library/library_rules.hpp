#pragma once
// How a job's collective library runs a collective: which algorithm and protocol it chooses for a size.

#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/library_version.hpp"
#include "sim/library/nccl_choice.hpp"

#include <optional>
#include <string>

namespace ddlsim {

/// The facts that decide which algorithm and protocol run a collective.
struct LibraryRules {
  LibraryVersion library{CollectiveLibrary::grpc}; ///< gRPC, which uses rings, unless another is set
  std::optional<Algorithm> forced{};               ///< the algorithm that the strategy names for all-reduces, if any
  NcclJob nccl{};                                  ///< used for NCCL only
  CollectiveOperation operation = CollectiveOperation::all_reduce;

  bool operator==(const LibraryRules&) const = default;
};

/// The largest collective of an iteration, and how it is run.
struct LargestCollective {
  CollectiveKind collective;
  Protocol protocol = Protocol::none;
  double size_bytes = 0;
};

/// The library's rules for a job of that many ranks, prepared for collectives of many sizes.
struct AlgorithmChooser {
  LibraryRules rules;
  int ranks = 1;
  std::optional<NcclCandidates> nccl{}; ///< set for NCCL on more than one rank
};

AlgorithmChooser algorithm_chooser(const LibraryRules& rules, int ranks);

/// The algorithm and protocol by which the library runs a collective of that size. Operations other than all-reduce
/// always run as a ring: all libraries use one for large messages.
AlgorithmAndProtocol choose_algorithm(const AlgorithmChooser& chooser, double size_bytes);
AlgorithmAndProtocol choose_algorithm(const LibraryRules& rules, int ranks, double size_bytes);

/// Bytes on the wire for `size_bytes` of gradients: LL sends 8 bytes for 4, LL128 sends 128 for 120.
double wire_bytes(Protocol protocol, double size_bytes);

/// Returns one sentence that says why the library cannot run the algorithm that the strategy names; "" where it can.
std::string forced_complaint(const LibraryRules& rules, int ranks);

// The all-reduce that an MPI library chooses by the size of the vector and the number of ranks. Each library has fixed
// decision tables.

/// Open MPI up to 4.0 (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of 4.0.3): recursive doubling below 10,000
/// bytes, else a ring. From 4.1 on (the same file of 4.1.4, for sums that commute): by a table of ranks and bytes,
/// mostly Rabenseifner's halving-doubling above 4 to 256 KiB. Its linear and its non-overlapping all-reduce are
/// modelled as a tree, its segmented ring as a ring.
/// MPICH (src/mpi/coll/allreduce, 3.3) and its relatives: recursive doubling up to 2,048 bytes, else halving-doubling.
/// Intel MPI's own tables are not published; it is modelled as MPICH.
Algorithm mpi_choice(const LibraryVersion& version, int ranks, double size_bytes);

} // namespace ddlsim
