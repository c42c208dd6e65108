#include "sim/library/collective_cost.hpp"

#include "sim/collective/all_to_all.hpp"
#include "sim/collective/collective.hpp"
#include "sim/collective/tree.hpp"
#include "sim/library/node_timing.hpp"
#include "sim/network/nic_rate.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double second_per_us = 1e-6;
constexpr double Bps_of_GBps = 1e9;

/// The version whose latencies of a hop stand for the delays of the protocols. NVIDIA fitted them to V100 and A100.
/// Later versions adjusted the tables to steer NCCL's choice.
constexpr LibraryVersion version_of_delays{CollectiveLibrary::nccl, 2, 8, 4};

/// The version whose latencies of a hop stand for those of CollNet: it has the newest fit.
constexpr LibraryVersion version_of_collnet{CollectiveLibrary::nccl, 2, 23, 0};

/// The first version that states the ceilings of channels of Blackwell, whose domains have several nodes.
constexpr LibraryVersion version_of_domains{CollectiveLibrary::nccl, 2, 27, 3};

double ring_hop_s(const NcclTuning& tuning, NcclHop hop, std::size_t column) {
  return second_per_us * tuning.hop_us[static_cast<std::size_t>(hop)].ring[column];
}

double ll_hop_s(const NcclTuning& tuning, NcclHop hop) {
  return ring_hop_s(tuning, hop, column_of(Protocol::ll));
}

/// Share of the links' rate that a double tree reaches, interpolated linearly between two sizes of the table.
double share_of_tree(Protocol protocol, double size_bytes) {
  const auto& tuning = nccl_tuning(version_of_delays);
  const auto at = [&](double doublings) { return tree_correction(tuning, protocol, doublings); };
  const double doublings = std::max(0.0, std::log2(size_bytes / least_corrected_bytes));
  const double before = std::floor(doublings);
  return tuning.tree_share * std::lerp(at(before), at(before + 1), doublings - before);
}

void add_protocol_of_rings_and_trees(const NcclJob& job, CollectiveCost& cost) {
  const auto& tuning = nccl_tuning(version_of_delays);
  const std::size_t column = column_of(cost.protocol);
  cost.intra_latency_s += ring_hop_s(tuning, job.intra, column) - ll_hop_s(tuning, job.intra);
  cost.net_latency_s += ring_hop_s(tuning, NcclHop::network, column) - ll_hop_s(tuning, NcclHop::network);
}

/// The formula of CollNet counts a hop inside a node on the way to the switches and on the way back.
void add_collnet(const NcclJob& job, CollectiveCost& cost) {
  const auto& tuning = nccl_tuning(version_of_collnet);
  const auto& variant = collnet_variant(version_of_collnet, job);
  const int others = job.ranks / job.nodes - 1;
  const double hop_us = job.intra == NcclHop::nvlink ? variant.nvlink_hop_us : variant.pci_hop_us;
  cost.intra_latency_s += second_per_us * hop_us - ll_hop_s(tuning, job.intra);
  cost.intra_latency_s *= variant.is_chain ? others : 1;
  cost.intra_latency_s += second_per_us * others * variant.gpu_us;
  const double alone_us = collnet_tuning(version_of_collnet)->alone_network_us;
  cost.net_latency_s +=
      second_per_us * (others == 0 ? alone_us : variant.network_us) - ll_hop_s(tuning, NcclHop::network);
}

/// The timing of the job's GPUs; null for generations that have none.
const NodeTiming* timing_of(const NcclJob& job) {
  return job.intra == NcclHop::nvlink ? node_timing(job.gpu) : pcie_timing(job.gpu);
}

/// The same for any library; null for others than NCCL.
const NodeTiming* timing_of(const LibraryRules& rules) {
  return rules.library.library == CollectiveLibrary::nccl ? timing_of(rules.nccl) : nullptr;
}

/// Latency that NCCL counts for a hop inside a node with LL, which cluster files state. A cluster that states another has
/// all latencies inside a node in proportion.
double counted_hop_s(NcclHop intra) {
  return ll_hop_s(nccl_tuning(nccl_with_nvls_fit), intra);
}

/// Number of hops inside a node for which the formula of an all-reduce in one node counts intra_latency_s.
int hops_of(const CollectiveKind& collective, int ranks) {
  return collective.algorithm == Algorithm::nvls ? 2 : ring_steps(collective.operation, ranks);
}

/// Bytes that pass a port for each byte of the message by the formula of the algorithm.
double port_bytes(const CollectiveKind& collective, int ranks) {
  if (collective.algorithm == Algorithm::nvls) return 1 + 1.0 / ranks;
  return 1.0 * ring_steps(collective.operation, ranks) / ranks;
}

PortTime on_nvlink(const NodeTiming& timing, const CollectiveCost& cost, int ranks, double size_bytes,
                   double port_Bps) {
  if (cost.collective.algorithm == Algorithm::nvls) return nvls_in_node(timing, ranks, size_bytes, port_Bps);
  return ring_in_node(timing, cost.collective.operation, cost.protocol, ranks, size_bytes, port_Bps);
}

/// A tree on one node is a chain of its GPUs. The tables behind the timing do not say which of the two ran, so it is
/// timed as a ring.
Algorithm timed_as(Algorithm algorithm) {
  return algorithm == Algorithm::nvls ? algorithm : Algorithm::ring;
}

/// Sets the cost of a ring or of NVLS on one node from the timing of its generation: the latency is spread over the
/// hops, and the ramp is a cap on the flow.
void add_node_timing(const Machine& machine, const NodeTiming& timing, NcclHop intra, double size_bytes,
                     CollectiveCost& cost) {
  cost.collective.algorithm = timed_as(cost.collective.algorithm);
  const PortTime time = on_nvlink(timing, cost, machine.ranks, size_bytes, machine.intra_Bps);
  const double scale = machine.intra_latency_s / counted_hop_s(intra);
  cost.wire_bytes = size_bytes;
  cost.intra_latency_s = scale * time.latency_s / hops_of(cost.collective, machine.ranks);
  if (time.bytes_s > 0)
    cost.intra_share = port_bytes(cost.collective, machine.ranks) * size_bytes / machine.intra_Bps / time.bytes_s;
}

/// Latency with Simple over that with LL, less 1, once a message is long: one ramp for every network between nodes.
/// Tables of two nodes of Hopper and Blackwell over InfiniBand, RoCE and EFA have it.
constexpr double ramp_across = 2.8;
/// Time of the bytes over the latency at which half of the ramp is reached.
constexpr double ramp_across_at = 0.23;

bool sums_in_switches(Algorithm algorithm) {
  return algorithm == Algorithm::nvls || algorithm == Algorithm::nvls_sharp || algorithm == Algorithm::collnet;
}

/// Number of latencies between nodes that the formula counts, one after another.
double crossings_of(const Machine& machine, const CollectiveKind& collective) {
  const double nodes = machine.nodes();
  if (collective.algorithm == Algorithm::ring)
    return ring_steps(collective.operation, machine.ranks) * nodes / machine.ranks;
  const bool once = collective.algorithm == Algorithm::nvls_sharp || collective.algorithm == Algorithm::collnet;
  return once ? 1 : 2 * tree_levels(machine.nodes());
}

/// Slows all links as the ramp does: T = latency (1 + ramp x / (x + at latency)) + x, where x is the time of the bytes
/// and the latency is that of a short message. A long one of a ring hides a part of it in the formula, but not in tables.
void add_ramp(const Machine& machine, CollectiveCost& cost) {
  constexpr double short_bytes = 1;
  CollectiveCost at_once = cost;
  at_once.intra_latency_s = at_once.net_latency_s = 0;
  CollectiveCost short_one = cost;
  short_one.wire_bytes = std::min(cost.wire_bytes, short_bytes);
  const double bytes_s = formula_s(machine, at_once);
  if (!(bytes_s > 0)) return;
  const double latency_s = formula_s(machine, short_one);
  const double seen_s = formula_s(machine, cost) - bytes_s;
  const double slowed_s = latency_s * (1 + ramp_across * bytes_s / (bytes_s + ramp_across_at * latency_s)) + bytes_s;
  const double share = std::min(1.0, bytes_s / (slowed_s - std::min(latency_s, seen_s)));
  cost.intra_share *= share;
  cost.net_share *= share;
}

/// The rate to which NCCL's channels limit what leaves an NVLink domain of several nodes, B/s. NCCL's ceilings are bus
/// rates, in which a tree's byte counts twice. Rings have no ceiling of their own there; they take that of trees.
double channel_limit_Bps(const NcclJob& job, Algorithm algorithm) {
  const double counted = algorithm == Algorithm::ring ? 1 : 2;
  const auto nodes = static_cast<std::size_t>(std::min(job.nodes, 3)) - 1;
  const auto& ceilings = nccl_tuning(version_of_domains).tree_channel_ceiling[static_cast<std::size_t>(job.gpu)];
  return Bps_of_GBps * job.channels * ceilings[nodes] / counted;
}

/// Share of the rate of a domain's NICs that its channels can use.
double share_of_channels(const Machine& machine, const NcclJob& job, Algorithm algorithm) {
  return job.domain_nodes > 1 ? std::min(1.0, channel_limit_Bps(job, algorithm) / machine.nic_Bps) : 1;
}

/// Sets the cost of a collective between nodes from the timing inside them and one latency a crossing. The ramp stands
/// for the protocols.
void add_between_nodes(const Machine& machine, const NodeTiming& timing, const NcclJob& job, double size_bytes,
                       CollectiveCost& cost) {
  const double scale = machine.intra_latency_s / counted_hop_s(job.intra);
  const int per_node = ranks_of_full_node(machine);
  const bool in_switches = sums_in_switches(cost.collective.algorithm);
  const double all_reduce_share = in_switches && timing.nvls_share > 0
                                      ? timing.nvls_share * (1 + 1.0 / per_node) / nvls_port_bytes
                                      : timing.all_reduce_share;
  const bool reduces = cost.collective.operation == CollectiveOperation::all_reduce;
  cost.wire_bytes = size_bytes;
  cost.net_share = share_of_channels(machine, job, cost.collective.algorithm);
  cost.intra_share = reduces ? all_reduce_share : timing.gather_share;
  cost.intra_latency_s = scale * timing.hop_s * (in_switches ? per_node - 1 : 1);
  cost.net_latency_s += scale * timing.base_s / crossings_of(machine, cost.collective);
  add_ramp(machine, cost);
}

/// Whether the timing of a generation holds for that algorithm; NCCL has no other.
bool has_timing(Algorithm algorithm) {
  return algorithm == Algorithm::ring || algorithm == Algorithm::tree || sums_in_switches(algorithm);
}

/// Sets the cost by NCCL's own constants: of GPUs without a timing.
void add_nccl(const NcclJob& job, double size_bytes, CollectiveCost& cost) {
  const Algorithm algorithm = cost.collective.algorithm;
  if (algorithm == Algorithm::tree) cost.intra_share = cost.net_share = share_of_tree(cost.protocol, size_bytes);
  if (cost.protocol == Protocol::ll) return; // the machine's delays are those of LL already
  if (algorithm == Algorithm::collnet) return add_collnet(job, cost);
  add_protocol_of_rings_and_trees(job, cost);
}

} // namespace

CollectiveCost cost_of(const Machine& machine, const CollectiveKind& collective, Protocol protocol, const NcclJob& job,
                       double size_bytes) {
  CollectiveCost cost{collective, protocol, wire_bytes(protocol, size_bytes), machine.intra_latency_s,
                      machine.net_latency_s};
  if (protocol == Protocol::none || machine.ranks < 2) return cost;
  const NodeTiming* timing = timing_of(job);
  if (timing == nullptr || !has_timing(collective.algorithm))
    add_nccl(job, size_bytes, cost);
  else if (machine.nodes() > 1)
    add_between_nodes(machine, *timing, job, size_bytes, cost);
  else
    add_node_timing(machine, *timing, job.intra, size_bytes, cost);
  return cost;
}

CollectiveCost cost_of(const Machine& machine, const AlgorithmChooser& chooser, double size_bytes) {
  const auto [algorithm, protocol] = choose_algorithm(chooser, size_bytes);
  return cost_of(machine, {chooser.rules.operation, algorithm}, protocol, chooser.rules.nccl, size_bytes);
}

CollectiveCost cost_of(const Machine& machine, const LibraryRules& rules, double size_bytes) {
  return cost_of(machine, algorithm_chooser(rules, machine.ranks), size_bytes);
}

Machine links_of(const Machine& machine, const CollectiveCost& cost) {
  Machine links = machine;
  links.intra_latency_s = cost.intra_latency_s;
  links.net_latency_s = cost.net_latency_s;
  links.intra_Bps *= cost.intra_share;
  links.nic_Bps = nic_rate_Bps(links.nic_Bps, {.efficiency = cost.net_share});
  links.uplink_Bps = nic_rate_Bps(links.uplink_Bps, {.efficiency = cost.net_share});
  return links;
}

double started_s(const LibraryRules& rules, double start_s, double transfer_s) {
  return is_timed(rules) ? std::max(start_s, transfer_s) : start_s + transfer_s;
}

bool is_timed(const LibraryRules& rules) {
  return timing_of(rules) != nullptr;
}

double exchange_s(const Machine& machine, const LibraryRules& rules, double size_bytes) {
  const auto* timing = timing_of(rules);
  if (timing == nullptr || machine.nodes() > 1 || machine.ranks < 2) return all_to_all_s(machine, size_bytes);
  const PortTime time = exchange_in_node(timing->all_to_all, machine.ranks, size_bytes, machine.intra_Bps);
  return machine.intra_latency_s / counted_hop_s(rules.nccl.intra) * time.latency_s + time.bytes_s;
}

double formula_s(const Machine& machine, const CollectiveCost& cost) {
  return collective_s(links_of(machine, cost), cost.wire_bytes, cost.collective);
}

} // namespace ddlsim
