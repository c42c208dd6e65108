#pragma once
// What a job's library does with one all-reduce, whichever library it is, and what the protocol does to the message.

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

/// How the library runs an all-reduce of that size on that many ranks.
Way way_of(const SumRules& rules, int ranks, double size_bytes);

/// All-reduces that are run one way, by their numbers in a list of sizes.
struct SumsOfWay {
  Way way;
  std::vector<std::size_t> numbers;
};

/// The sizes of a list by the way that the library takes for each, in the order of their first.
std::vector<SumsOfWay> by_way(const SumRules& rules, int ranks, const std::vector<double>& sizes_bytes);

/// Bytes that travel for so many bytes of gradient: LL sends 8 for 4, LL128 128 for 120.
double wire_bytes(Protocol protocol, double size_bytes);

/// A machine's delays are those of NCCL's LL, or of a library without protocols; Simple and LL128 add what NCCL 2.8.4
/// counts more for a hop (src/graph/tuning.cc). NVLS reaches its efficiency of a port's rate and adds what NCCL 2.28.3
/// counts more for it: 25 us through the switch and back, 14 us for a hop of its tree, 18 us to the switches between nodes that sum. CollNet
/// adds what 2.23.4 counts: 31 us to the switches between nodes and back.
Machine machine_under(const Machine& machine, const Way& way, const NcclJob& job);

/// Why the library cannot run the algorithm that the strategy names, one sentence; "" where it can.
std::string forced_complaint(const SumRules& rules, int ranks);

/// Time of one all-reduce by its closed form, seconds.
double sum_s(const Machine& machine, const SumRules& rules, double size_bytes);

} // namespace ddlsim
