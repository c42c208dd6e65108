#pragma once
// What a job's library does with one all-reduce, whichever library it is, and what the protocol does to the message.

#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/library_version.hpp"
#include "sim/library/nccl_choice.hpp"
#include "sim/network/machine.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// All that decides how a gradient is summed.
struct SumRules {
  LibraryVersion library{SumLibrary::grpc}; ///< rings, where nobody says
  std::optional<Algorithm> forced{};        ///< the strategy names it
  NcclJob nccl{};                           ///< read for NCCL only

  bool operator==(const SumRules&) const = default;
};

/// The largest all-reduce of an iteration, and how it is run.
struct LargestSum {
  Way way;
  double size_bytes = 0;
};

/// How the library runs all-reduces on that many ranks, before their size is known.
struct SumWays {
  SumRules rules;
  int ranks = 1;
  std::optional<NcclWays> nccl{}; ///< of NCCL on more than one rank
};

SumWays sum_ways(const SumRules& rules, int ranks);

/// How the library runs an all-reduce of that size.
Way way_of(const SumWays& ways, double size_bytes);
Way way_of(const SumRules& rules, int ranks, double size_bytes);

/// All-reduces that are run one way, by their numbers in a list of sizes.
struct SumsOfWay {
  Way way;
  std::vector<std::size_t> numbers;
};

/// The sizes of a list by the way that the library takes for each, in the order of their first.
std::vector<SumsOfWay> by_way(const SumWays& ways, const std::vector<double>& sizes_bytes);

/// Bytes that travel for so many bytes of gradient: LL sends 8 for 4, LL128 128 for 120.
double wire_bytes(Protocol protocol, double size_bytes);

/// Bytes that keep the links busy as long as this all-reduce takes: those on the wire, and of NCCL's double tree more,
/// because chunks that wait for each other leave links idle. A tree reaches 0.92 of a link's rate times a share by size
/// and protocol, 0.4 to 1: what NVIDIA fitted to V100 and A100 (src/graph/tuning.cc of 2.8.4, treeCorrectionFactor).
double timed_bytes(const Way& way, double size_bytes);

/// A machine's delays are those of NCCL's LL, or of a library without protocols; Simple and LL128 add what NCCL 2.8.4
/// counts more for a hop (src/graph/tuning.cc). NVLS reaches its efficiency of a port's rate and adds what NCCL 2.28.3
/// counts more for it: 25 us through the switch and back, 14 us for a hop of its tree, 18 us to the switches between
/// nodes that sum. CollNet adds what 2.23.4 counts: 31 us to the switches between nodes and back.
Machine machine_under(const Machine& machine, const Way& way, const NcclJob& job);

/// Why the library cannot run the algorithm that the strategy names, one sentence; "" where it can.
std::string forced_complaint(const SumRules& rules, int ranks);

/// Time of one all-reduce by its closed form, seconds.
double sum_s(const Machine& machine, const SumRules& rules, double size_bytes);

// The all-reduce that an MPI library takes by the size of the vector and the ranks: its tables of fixed decisions.

/// Open MPI up to 4.0 (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of 4.0.3): recursive doubling below 10,000
/// bytes, else a ring. From 4.1 on (the same file of 4.1.4, for sums that commute): by a table of ranks and bytes,
/// mostly Rabenseifner's halving and doubling above 4 to 256 KiB; its linear and its non-overlapping way are
/// taken as a tree, a segmented ring as a ring.
/// MPICH (src/mpi/coll/allreduce, 3.3) and its relatives: recursive doubling up to 2,048 bytes, else halving-doubling.
/// Intel MPI's own tables are not published; it is taken as MPICH.
Algorithm mpi_choice(const LibraryVersion& version, int ranks, double size_bytes);

} // namespace ddlsim
