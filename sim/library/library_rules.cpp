#include "sim/library/library_rules.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

std::string collnet_complaint(const LibraryRules& rules, int ranks) {
  if (rules.library.library == CollectiveLibrary::nccl && runs_collnet(rules.library, rules.nccl)) return "";
  return fmt::format(
      "{} cannot all-reduce over {} GPUs of this cluster in the switches between nodes; collnet takes NCCL 2.6 or "
      "newer over InfiniBand (nccl-ib), a cluster whose fabric states \"sharp\": true, two nodes or more, and 8 GPUs "
      "of "
      "each at most",
      to_text(rules.library), ranks);
}

std::string nvls_sharp_complaint(const LibraryRules& rules, int ranks) {
  if (rules.library.library == CollectiveLibrary::nccl && runs_nvls_sharp(rules.library, rules.nccl)) return "";
  return fmt::format(
      "{} cannot all-reduce over {} GPUs of this cluster in the switches inside and between nodes; nvls-sharp takes "
      "what nvls and collnet take together: NCCL 2.18 or newer over InfiniBand (nccl-ib), GPUs of compute "
      "capability 9.0 or more on an NVSwitch, three to eight of each node, two nodes or more, and a "
      "cluster whose fabric states \"sharp\": true",
      to_text(rules.library), ranks);
}

/// The algorithm that Gloo runs. Its ring all-reduce is segmented, even where the strategy names a plain ring.
Algorithm ring_of_gloo(const LibraryRules& rules) {
  const auto algorithm = rules.forced.value_or(Algorithm::ring);
  if (rules.operation != CollectiveOperation::all_reduce) return algorithm;
  return algorithm == Algorithm::ring ? Algorithm::segmented_ring : algorithm;
}

} // namespace

std::string forced_complaint(const LibraryRules& rules, int ranks) {
  if (rules.forced == Algorithm::collnet && ranks > 1) return collnet_complaint(rules, ranks);
  if (rules.forced == Algorithm::nvls_sharp && ranks > 1) return nvls_sharp_complaint(rules, ranks);
  if (rules.forced == Algorithm::segmented_ring && rules.library.library != CollectiveLibrary::gloo)
    return fmt::format("{} has no ring in segments; segmented-ring takes Gloo", to_text(rules.library));
  if (rules.forced != Algorithm::nvls || ranks < 2) return "";
  if (rules.library.library == CollectiveLibrary::nccl && runs_nvls(rules.library, rules.nccl)) return "";
  return fmt::format(
      "{} cannot all-reduce over {} GPUs of this cluster in the NVLink switch; nvls takes NCCL 2.18 or newer, an "
      "NVSwitch, GPUs of compute capability 9.0 or more, and more than two of them in a domain",
      to_text(rules.library), ranks);
}

AlgorithmChooser algorithm_chooser(const LibraryRules& rules, int ranks) {
  AlgorithmChooser chooser{rules, ranks};
  if (rules.operation != CollectiveOperation::all_reduce) chooser.rules.forced = Algorithm::ring;
  if (rules.library.library == CollectiveLibrary::nccl && ranks > 1)
    chooser.nccl = nccl_candidates(rules.library, rules.nccl, chooser.rules.forced);
  return chooser;
}

AlgorithmAndProtocol choose_algorithm(const AlgorithmChooser& chooser, double size_bytes) {
  const auto& rules = chooser.rules;
  switch (rules.library.library) {
  case CollectiveLibrary::nccl:
    return chooser.nccl ? nccl_choice(*chooser.nccl, size_bytes)
                        : AlgorithmAndProtocol{rules.forced.value_or(Algorithm::ring), Protocol::none};
  case CollectiveLibrary::open_mpi:
  case CollectiveLibrary::mpich:
    return {rules.forced.value_or(mpi_choice(rules.library, chooser.ranks, size_bytes)), Protocol::none};
  case CollectiveLibrary::gloo:
    return {ring_of_gloo(rules), Protocol::none};
  case CollectiveLibrary::grpc:
    break;
  }
  return {rules.forced.value_or(Algorithm::ring), Protocol::none};
}

AlgorithmAndProtocol choose_algorithm(const LibraryRules& rules, int ranks, double size_bytes) {
  return choose_algorithm(algorithm_chooser(rules, ranks), size_bytes);
}

double wire_bytes(Protocol protocol, double size_bytes) {
  constexpr double ll_bytes_a_byte = 8.0 / 4;
  constexpr double ll128_bytes_a_byte = 128.0 / 120;
  if (protocol == Protocol::ll) return ll_bytes_a_byte * size_bytes;
  return protocol == Protocol::ll128 ? ll128_bytes_a_byte * size_bytes : size_bytes;
}

} // namespace ddlsim
