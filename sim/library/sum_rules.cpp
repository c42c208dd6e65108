#include "sim/library/sum_rules.hpp"

#include "sim/collective/all_reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// The version whose hops are the protocols' own delays: of all, it was fitted with V100 and A100 and before its tables
/// were bent towards what is to be chosen.
constexpr LibraryVersion version_of_delays{SumLibrary::nccl, 2, 8, 4};

double more_than_ll_s(NcclHop hop, std::size_t column) {
  constexpr double s_per_us = 1e-6;
  const auto& ring_us = nccl_tuning(version_of_delays).hop_us[static_cast<std::size_t>(hop)].ring;
  return s_per_us * (ring_us[column] - ring_us.front());
}

/// What a double tree reaches of its links. Between two sizes of the table it is on the line between theirs.
double share_of_tree(Protocol protocol, double size_bytes) {
  const auto& tuning = nccl_tuning(version_of_delays);
  const auto at = [&](double doublings) { return tree_correction(tuning, protocol, doublings); };
  const double doublings = std::max(0.0, std::log2(size_bytes / least_corrected_bytes));
  const double before = std::floor(doublings);
  return tuning.tree_share * std::lerp(at(before), at(before + 1), doublings - before);
}

/// The row of NVLS counts a port's latency on the way into the switch and on the way out.
Machine machine_under_nvls(const Machine& machine, const NcclJob& job, bool by_sharp) {
  constexpr double s_per_us = 1e-6;
  const auto& tuning = nccl_tuning(nccl_with_nvls_fit);
  const auto ll_us = [&](NcclHop hop) { return tuning.hop_us[static_cast<std::size_t>(hop)].ring.front(); };
  Machine under = machine;
  under.intra_Bps *= nvls_efficiency(job.gpu);
  under.intra_latency_s += s_per_us * (tuning.nvls.hop_us / 2 - ll_us(NcclHop::nvlink));
  const double hop_us = by_sharp ? tuning.nvls.sharp_hop_us : tuning.nvls.network_hop_us;
  under.net_latency_s += s_per_us * (hop_us - ll_us(NcclHop::network));
  return under;
}

/// The version of whose hops CollNet has its delays: the newest fit.
constexpr LibraryVersion version_of_collnet{SumLibrary::nccl, 2, 23, 0};

/// The row of CollNet counts a hop inside a node on the way to the switches and on the way back.
Machine machine_under_collnet(const Machine& machine, const NcclJob& job) {
  constexpr double s_per_us = 1e-6;
  const auto& tuning = nccl_tuning(version_of_collnet);
  const auto ll_us = [&](NcclHop hop) { return tuning.hop_us[static_cast<std::size_t>(hop)].ring.front(); };
  const auto& way = collnet_way(version_of_collnet, job);
  const int others = job.ranks / job.nodes - 1;
  const double hop_us = job.intra == NcclHop::nvlink ? way.nvlink_hop_us : way.pci_hop_us;
  Machine under = machine;
  under.intra_latency_s += s_per_us * (hop_us - ll_us(job.intra));
  under.intra_latency_s *= way.is_chain ? others : 1;
  under.intra_latency_s += s_per_us * others * way.gpu_us;
  const double alone_us = collnet_tuning(version_of_collnet)->alone_network_us;
  under.net_latency_s += s_per_us * ((others == 0 ? alone_us : way.network_us) - ll_us(NcclHop::network));
  return under;
}

std::string collnet_complaint(const SumRules& rules, int ranks) {
  if (rules.library.library == SumLibrary::nccl && runs_collnet(rules.library, rules.nccl)) return "";
  return fmt::format(
      "{} cannot sum {} GPUs of this cluster in the switches between nodes; collnet takes NCCL 2.6 or newer "
      "over InfiniBand (nccl-ib), a cluster whose fabric states \"sharp\": true, two nodes or more, and 8 "
      "GPUs of each at most",
      to_text(rules.library), ranks);
}

std::string nvls_sharp_complaint(const SumRules& rules, int ranks) {
  if (rules.library.library == SumLibrary::nccl && runs_nvls_sharp(rules.library, rules.nccl)) return "";
  return fmt::format(
      "{} cannot sum {} GPUs of this cluster in the switches inside and between nodes; nvls-sharp takes "
      "what nvls and collnet take together: NCCL 2.18 or newer over InfiniBand (nccl-ib), GPUs of compute "
      "capability 9.0 or more on an NVSwitch, three to eight of each node, two nodes or more, and a "
      "cluster whose fabric states \"sharp\": true",
      to_text(rules.library), ranks);
}

/// Gloo's ring is in segments, also where somebody asks for a ring.
Algorithm ring_of_gloo(std::optional<Algorithm> forced) {
  const auto algorithm = forced.value_or(Algorithm::ring);
  return algorithm == Algorithm::ring ? Algorithm::segmented_ring : algorithm;
}

} // namespace

std::string forced_complaint(const SumRules& rules, int ranks) {
  if (rules.forced == Algorithm::collnet && ranks > 1) return collnet_complaint(rules, ranks);
  if (rules.forced == Algorithm::nvls_sharp && ranks > 1) return nvls_sharp_complaint(rules, ranks);
  if (rules.forced == Algorithm::segmented_ring && rules.library.library != SumLibrary::gloo)
    return fmt::format("{} has no ring in segments; segmented-ring takes Gloo", to_text(rules.library));
  if (rules.forced != Algorithm::nvls || ranks < 2) return "";
  if (rules.library.library == SumLibrary::nccl && runs_nvls(rules.library, rules.nccl)) return "";
  return fmt::format("{} cannot sum {} GPUs of this cluster in the NVLink switch; nvls takes NCCL 2.18 or newer, an "
                     "NVSwitch, GPUs of compute capability 9.0 or more, and more than two of them in a domain",
                     to_text(rules.library), ranks);
}

SumWays sum_ways(const SumRules& rules, int ranks) {
  SumWays ways{rules, ranks};
  if (rules.library.library == SumLibrary::nccl && ranks > 1)
    ways.nccl = nccl_ways(rules.library, rules.nccl, rules.forced);
  return ways;
}

Way way_of(const SumWays& ways, double size_bytes) {
  const auto& rules = ways.rules;
  switch (rules.library.library) {
  case SumLibrary::nccl:
    return ways.nccl ? nccl_choice(*ways.nccl, size_bytes)
                     : Way{rules.forced.value_or(Algorithm::ring), Protocol::none};
  case SumLibrary::open_mpi:
  case SumLibrary::mpich:
    return {rules.forced.value_or(mpi_choice(rules.library, ways.ranks, size_bytes)), Protocol::none};
  case SumLibrary::gloo:
    return {ring_of_gloo(rules.forced), Protocol::none};
  case SumLibrary::grpc:
    break;
  }
  return {rules.forced.value_or(Algorithm::ring), Protocol::none};
}

Way way_of(const SumRules& rules, int ranks, double size_bytes) {
  return way_of(sum_ways(rules, ranks), size_bytes);
}

std::vector<SumsOfWay> by_way(const SumWays& ways, const std::vector<double>& sizes_bytes) {
  std::vector<SumsOfWay> sums;
  for (std::size_t i = 0; i < sizes_bytes.size(); ++i) {
    const auto way = way_of(ways, sizes_bytes[i]);
    auto found = std::find_if(sums.begin(), sums.end(), [&](const SumsOfWay& one) { return one.way == way; });
    if (found == sums.end()) found = sums.insert(sums.end(), {way, {}});
    found->numbers.push_back(i);
  }
  return sums;
}

double wire_bytes(Protocol protocol, double size_bytes) {
  constexpr double ll_bytes_a_byte = 8.0 / 4;
  constexpr double ll128_bytes_a_byte = 128.0 / 120;
  if (protocol == Protocol::ll) return ll_bytes_a_byte * size_bytes;
  return protocol == Protocol::ll128 ? ll128_bytes_a_byte * size_bytes : size_bytes;
}

double timed_bytes(const Way& way, double size_bytes) {
  const double sent_bytes = wire_bytes(way.protocol, size_bytes);
  const bool nccl_tree = way.algorithm == Algorithm::tree && way.protocol != Protocol::none;
  return nccl_tree ? sent_bytes / share_of_tree(way.protocol, size_bytes) : sent_bytes;
}

Machine machine_under(const Machine& machine, const Way& way, const NcclJob& job) {
  const Protocol protocol = way.protocol;
  const NcclHop intra = job.intra;
  if (protocol == Protocol::none || protocol == Protocol::ll) return machine;
  if (way.algorithm == Algorithm::nvls) return machine_under_nvls(machine, job, false);
  if (way.algorithm == Algorithm::nvls_sharp) return machine_under_nvls(machine, job, true);
  if (way.algorithm == Algorithm::collnet) return machine_under_collnet(machine, job);
  const std::size_t column = column_of(protocol);
  Machine under = machine;
  under.intra_latency_s += more_than_ll_s(intra, column);
  under.net_latency_s += more_than_ll_s(NcclHop::network, column);
  return under;
}

double sum_s(const Machine& machine, const SumRules& rules, double size_bytes) {
  const auto way = way_of(rules, machine.ranks, size_bytes);
  return all_reduce_s(machine_under(machine, way, rules.nccl), timed_bytes(way, size_bytes), way.algorithm);
}

} // namespace ddlsim
