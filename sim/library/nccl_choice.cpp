#include "sim/library/nccl_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ddlsim {
namespace {

constexpr Protocol protocols[] = {Protocol::ll, Protocol::ll128, Protocol::simple};

const RingAndTree& hop_of(const NcclTuning& tuning, NcclHop hop) {
  return tuning.hop_us[static_cast<std::size_t>(hop)];
}

/// The logarithm to base 2, rounded down as in NCCL.
double log2_of(double value) {
  return std::floor(std::log2(value));
}

bool is_enabled(const NcclTuning& tuning, const NcclJob& job, Protocol protocol) {
  if (job.protocol && protocol != *job.protocol) return false;
  if (protocol == Protocol::simple) return true;
  if (job.simple_only && tuning.heeds_plugin) return false;
  if (protocol != Protocol::ll128) return true;
  return job.may_ll128 && (job.gpu == NcclGpu::volta || tuning.ll128_on_ampere);
}

template <class Value> const Value& of_gpu(const PerGpu<Value>& row, NcclGpu gpu) {
  return row[static_cast<std::size_t>(gpu)];
}

/// The ceilings on rates for one job.
struct Ceilings {
  double ll_GBps = 0;
  double tree_GBps = 0;
  double ring_ll128_GBps = 0;
  double tree_ll128_GBps = 0;
};

Ceilings ceilings_of(const NcclTuning& tuning, const NcclJob& job) {
  const std::size_t nodes = static_cast<std::size_t>(std::min(job.nodes, 3)) - 1;
  const NcclGpu processor = job.is_amd_processor ? NcclGpu::ampere : NcclGpu::volta;
  return {of_gpu(tuning.ll_ceiling, job.nodes == 1 ? job.gpu : processor)[nodes],
          job.channels * of_gpu(tuning.tree_channel_ceiling, job.gpu)[nodes],
          job.channels * of_gpu(tuning.ring_ll128_channel_ceiling, job.gpu)[nodes],
          job.channels * of_gpu(tuning.tree_ll128_channel_ceiling, job.gpu)[nodes]};
}

double ring_bus_GBps(const NcclTuning& tuning, const NcclJob& job, Protocol protocol) {
  const auto ceilings = ceilings_of(tuning, job);
  if (protocol == Protocol::ll) return std::min(ceilings.ll_GBps, job.ring_GBps * tuning.ll_ring_share);
  if (protocol == Protocol::simple) return job.ring_GBps;
  const bool alone = job.ranks < 2 * job.nodes;
  const double share = alone ? tuning.ll128_ring_share_alone : tuning.ll128_ring_share;
  return std::min(ceilings.ring_ll128_GBps, job.ring_GBps * share);
}

double tree_bus_GBps(const NcclTuning& tuning, const NcclJob& job, Protocol protocol) {
  const auto ceilings = ceilings_of(tuning, job);
  const double bus_GBps = std::min(ceilings.tree_GBps, job.tree_GBps * tuning.tree_share);
  if (protocol == Protocol::ll) return std::min(ceilings.ll_GBps, bus_GBps * tuning.ll_tree_share);
  if (protocol == Protocol::simple) return bus_GBps;
  const double share = job.nodes == 1 ? tuning.ll128_tree_share_one_node : tuning.ll128_tree_share;
  return std::min(ceilings.tree_ll128_GBps, bus_GBps * share);
}

/// Latency of a hop inside a node, us; with LL it is larger in a job on several nodes.
double intra_hop_us(const NcclTuning& tuning, const NcclJob& job, Protocol protocol, const PerProtocol& hop_us) {
  const double hop = hop_us[column_of(protocol)];
  return job.nodes > 1 && protocol == Protocol::ll ? tuning.ll_intra_factor * hop : hop;
}

/// Time of the network's proxy, us, which posts every message of a ring; Simple counts it three times.
double network_overhead_us(const NcclTuning& tuning, const NcclJob& job, Protocol protocol) {
  if (!tuning.has_network_overhead || job.nodes == 1) return 0;
  return (job.is_amd_processor ? 2.0 : 1.0) * (protocol == Protocol::simple ? 3 : 1);
}

/// The latency that the network's plug-in states, us. NCCL counts it for every crossing, and with Simple once more for
/// flushing.
double plugin_latency_us(const NcclTuning& tuning, const NcclJob& job, Protocol protocol) {
  if (!tuning.heeds_plugin) return 0;
  return job.plugin_latency_us * (protocol == Protocol::simple ? 2 : 1);
}

double ring_latency_us(const NcclTuning& tuning, const NcclJob& job, Protocol protocol) {
  const std::size_t column = column_of(protocol);
  const double inside_us = std::max(intra_hop_us(tuning, job, protocol, hop_of(tuning, job.intra).ring),
                                    network_overhead_us(tuning, job, protocol));
  const double network_us = hop_of(tuning, NcclHop::network).ring[column] + plugin_latency_us(tuning, job, protocol);
  const double steps = 2.0 * (job.ranks - 1);
  const double crossings = tuning.ring_hops_as_network && job.nodes > 1 ? steps : 2.0 * (job.nodes - 1);
  return tuning.base_us.ring[column] + (steps - crossings) * inside_us + crossings * network_us;
}

/// Number of GPUs of the job on one switch.
int on_switch(const NcclJob& job) {
  return job.ranks / job.nodes;
}

/// The rate at which a port carries the vector. It carries all of the vector, and the share of a head besides.
double nvls_port_GBps(const NcclJob& job) {
  const double heads = on_switch(job);
  return job.port_GBps * heads / (heads + 1);
}

/// The rate at which NVLS sums the vector, from version 2.28 on.
double nvls_rate_by_efficiency_GBps(const NvlsTuning& tuning, const NcclJob& job) {
  const double efficiency = of_gpu(tuning.efficiency, job.gpu);
  if (job.nodes == 1) return efficiency * nvls_port_GBps(job);
  const std::size_t nodes = static_cast<std::size_t>(std::min(job.nodes, 3)) - 1;
  const double heads = on_switch(job);
  const double inside_GBps = 2 * efficiency * job.port_GBps * (heads - 1) / (heads + 1);
  const double across_GBps = job.network_GBps * (job.nodes == 2 ? 2 : 1);
  const double ceiling_GBps = heads * of_gpu(tuning.tree_channel_ceiling, job.gpu)[nodes];
  return std::min({inside_GBps, across_GBps, ceiling_GBps}) * job.ranks / (2.0 * (job.ranks - 1));
}

double nvls_rate_GBps(const NvlsTuning& tuning, const NcclJob& job) {
  if (tuning.by_efficiency) return nvls_rate_by_efficiency_GBps(tuning, job);
  const double inside_GBps = nvls_port_GBps(job);
  if (job.nodes == 1) return tuning.share * inside_GBps;
  if (tuning.counts_nodes)
    return tuning.tree_share * job.nodes / (2.0 * (job.nodes - 1)) * (job.nodes == 2 ? inside_GBps : job.network_GBps);
  return tuning.tree_share * std::min(inside_GBps, job.nodes == 2 ? job.network_GBps : job.network_GBps / 2);
}

/// The rate at which NVLS sums with switches between nodes, where NICs carry the vector once.
double nvls_sharp_rate_GBps(const NvlsTuning& tuning, const NcclJob& job) {
  if (tuning.by_efficiency) {
    const double heads = on_switch(job);
    const double inside_GBps = 2 * of_gpu(tuning.efficiency, job.gpu) * job.port_GBps * (heads - 1) / (heads + 1);
    return std::min(inside_GBps, job.network_GBps) * job.ranks / (2.0 * (job.ranks - 1));
  }
  const double inside_GBps = nvls_port_GBps(job);
  if (tuning.counts_nodes) return tuning.share * (job.nodes == 2 ? inside_GBps : job.network_GBps);
  return tuning.share * std::min(inside_GBps, job.network_GBps);
}

double nvls_latency_us(const NcclTuning& version, const NcclJob& job) {
  const NvlsTuning& tuning = version.nvls;
  const double crossings = tuning.counts_nodes ? job.nodes - 1 : log2_of(job.nodes);
  const double network_us = tuning.network_hop_us + plugin_latency_us(version, job, Protocol::simple);
  return tuning.base_us + tuning.hop_us + 2 * crossings * network_us;
}

const CollnetVariant& variant_of_collnet(const CollnetTuning& tuning, const NcclJob& job) {
  const bool is_direct = tuning.direct && (!tuning.chain || job.has_switch);
  return is_direct ? *tuning.direct : *tuning.chain;
}

double collnet_latency_us(const CollnetTuning& tuning, const NcclJob& job) {
  const auto& variant = variant_of_collnet(tuning, job);
  const int others = on_switch(job) - 1;
  const double hop_us = job.intra == NcclHop::nvlink ? variant.nvlink_hop_us : variant.pci_hop_us;
  const int hops = variant.is_chain ? others : std::min(1, others);
  const double network_us = others == 0 && tuning.alone_network_us > 0 ? tuning.alone_network_us : variant.network_us;
  return 2 * (hops * hop_us + others * variant.gpu_us) + network_us;
}

double collnet_rate_GBps(const CollnetTuning& tuning, const NcclJob& job) {
  const auto& variant = variant_of_collnet(tuning, job);
  double bus_GBps = variant.share * job.collnet_GBps;
  if (!variant.is_chain && tuning.counts_heads) bus_GBps *= 2 / (1.0 * on_switch(job) / job.nics + 1);
  if (!variant.is_chain && job.gpu >= NcclGpu::hopper) bus_GBps *= tuning.hopper_share;
  return bus_GBps / 2;
}

double tree_latency_us(const NcclTuning& tuning, const NcclJob& job, Protocol protocol) {
  const std::size_t column = column_of(protocol);
  const double inside_us = intra_hop_us(tuning, job, protocol, hop_of(tuning, job.intra).tree);
  const double network_us = hop_of(tuning, NcclHop::network).tree[column] + plugin_latency_us(tuning, job, protocol);
  const int per_node = job.ranks / job.nodes;
  return tuning.base_us.tree[column] + 2 * ((per_node - 1) * inside_us + log2_of(job.nodes) * network_us);
}

/// Factor on the latency of a Simple ring across nodes. It applies from the size at which every chunk waits for the one
/// before.
double plateau_of(const NcclTuning& tuning, const NcclJob& job, Protocol protocol, double size_bytes) {
  if (protocol != Protocol::simple || job.nodes == 1) return 1;
  const double from_bytes = job.ranks * (tuning.plateau_by_channel ? 64.0 * job.channels : 4096.0);
  if (size_bytes < from_bytes) return 1;
  return job.gpu == NcclGpu::volta ? tuning.plateau : tuning.plateau_from_ampere;
}

/// The table's value for the next smaller size, as NCCL uses it.
double correction_of_size(const NcclTuning& tuning, Protocol protocol, double size_bytes) {
  return tree_correction(tuning, protocol, std::max(0.0, log2_of(size_bytes / least_corrected_bytes)));
}

constexpr double s_per_us = 1e-6;
constexpr double Bps_per_GBps = 1e9;

/// Bytes that one thread block may pass on by LL: 256 threads with 64 bytes each (32 bytes before Volta), twice as much
/// across nodes, and four times as much in a tree.
constexpr double ll_threads = 256;

double ll_limit_bytes(const NcclJob& job, Algorithm algorithm) {
  const double bytes_per_thread = job.before_volta ? 32 : 64;
  const double across = job.nodes > 1 ? 2 : 1;
  const double pieces = algorithm == Algorithm::tree ? 4 : job.ranks;
  return job.channels * ll_threads * pieces * bytes_per_thread * across;
}

/// The size in bytes up to which version 2.4 estimates a tree as faster than a ring, by the constants of src/init.cc.
double tree_limit_bytes(const NcclJob& job) {
  const double ring_Bpus = job.intra == NcclHop::nvlink ? 5000.0 * job.channels : 5000.0;
  double tree_Bpus = ring_Bpus * 2 / 3;
  if (job.intra == NcclHop::nvlink) tree_Bpus = ring_Bpus * 3 / 4 * (job.nodes == 2 ? 2 : 1);
  const int ranks_of_node = job.ranks / job.nodes;
  const double ring_us = 6.0 * (job.ranks - 1);
  const double tree_us = 15.0 * log2_of(job.nodes) + 4.0 * (ranks_of_node - 1);
  if (job.nodes < 2 || ring_us <= tree_us) return 0;
  if (tree_Bpus > ring_Bpus) return std::numeric_limits<double>::infinity();
  return ring_Bpus * tree_Bpus / (ring_Bpus - tree_Bpus) * (ring_us - tree_us);
}

/// The algorithm that NCCL knows and whose estimate stands for this algorithm.
Algorithm estimated_as(Algorithm algorithm) {
  const bool own = algorithm == Algorithm::tree || algorithm == Algorithm::nvls || algorithm == Algorithm::nvls_sharp ||
                   algorithm == Algorithm::collnet;
  return own ? algorithm : Algorithm::ring;
}

AlgorithmAndProtocol choice_by_size(const LibraryVersion& version, const NcclJob& job, double size_bytes,
                                    std::optional<Algorithm> forced) {
  const bool tree = version >= nccl_with_trees && size_bytes <= tree_limit_bytes(job);
  const Algorithm algorithm = forced.value_or(tree ? Algorithm::tree : Algorithm::ring);
  const auto by_size = size_bytes <= ll_limit_bytes(job, algorithm) ? Protocol::ll : Protocol::simple;
  return {algorithm, job.protocol.value_or(by_size)};
}

std::optional<NcclCandidate> candidate_of(const LibraryVersion& version, const NcclTuning& tuning, const NcclJob& job,
                                          const AlgorithmAndProtocol& choice) {
  if (choice.protocol == Protocol::none || !is_enabled(tuning, job, choice.protocol)) return std::nullopt;
  if (choice.algorithm == Algorithm::ring)
    return NcclCandidate{choice, ring_latency_us(tuning, job, choice.protocol),
                         ring_bus_GBps(tuning, job, choice.protocol)};
  if (choice.algorithm == Algorithm::tree)
    return NcclCandidate{choice, tree_latency_us(tuning, job, choice.protocol),
                         tree_bus_GBps(tuning, job, choice.protocol)};
  if (choice.protocol != Protocol::simple) return std::nullopt;
  if (choice.algorithm == Algorithm::nvls) {
    if (!runs_nvls(version, job)) return std::nullopt;
    return NcclCandidate{choice, nvls_latency_us(tuning, job), nvls_rate_GBps(tuning.nvls, job)};
  }
  if (choice.algorithm == Algorithm::nvls_sharp) {
    if (!runs_nvls_sharp(version, job)) return std::nullopt;
    return NcclCandidate{choice, tuning.nvls.base_us + tuning.nvls.hop_us + tuning.nvls.sharp_hop_us,
                         nvls_sharp_rate_GBps(tuning.nvls, job)};
  }
  if (!runs_collnet(version, job)) return std::nullopt;
  const auto& of_version = *collnet_tuning(version);
  return NcclCandidate{choice, collnet_latency_us(of_version, job), collnet_rate_GBps(of_version, job)};
}

double estimate_s(const NcclTuning& tuning, const NcclJob& job, const NcclCandidate& candidate, double size_bytes) {
  const auto& [choice, latency_us, bus_GBps] = candidate;
  if (choice.algorithm == Algorithm::tree) {
    const double corrected_GBps = bus_GBps * correction_of_size(tuning, choice.protocol, size_bytes);
    return s_per_us * latency_us + size_bytes / (0.5 * corrected_GBps * Bps_per_GBps);
  }
  if (choice.algorithm == Algorithm::ring) {
    const double bus_share = job.ranks / (2.0 * (job.ranks - 1));
    return s_per_us * (latency_us * plateau_of(tuning, job, choice.protocol, size_bytes)) +
           size_bytes / (bus_share * bus_GBps * Bps_per_GBps);
  }
  return s_per_us * latency_us + size_bytes / (bus_GBps * Bps_per_GBps);
}

} // namespace

std::optional<double> nccl_estimate_s(const LibraryVersion& version, const NcclJob& job,
                                      const AlgorithmAndProtocol& choice, double size_bytes) {
  const auto& tuning = nccl_tuning(version);
  const auto candidate = candidate_of(version, tuning, job, {estimated_as(choice.algorithm), choice.protocol});
  if (!candidate) return std::nullopt;
  return estimate_s(tuning, job, *candidate, size_bytes);
}

bool runs_nvls(const LibraryVersion& version, const NcclJob& job) {
  return version >= nccl_with_estimates && nccl_tuning(version).nvls.is_there && job.has_nvls;
}

bool runs_nvls_sharp(const LibraryVersion& version, const NcclJob& job) {
  return runs_nvls(version, job) && runs_collnet(version, job);
}

bool runs_collnet(const LibraryVersion& version, const NcclJob& job) {
  constexpr int most_gpus_of_node = 8; // the GPU itself and NCCL_MAX_DIRECT_ARITY others (src/init.cc, 2.18.3)
  return collnet_tuning(version) != nullptr && job.has_collnet && job.nodes > 1 &&
         job.ranks <= most_gpus_of_node * job.nodes;
}

const CollnetVariant& collnet_variant(const LibraryVersion& version, const NcclJob& job) {
  return variant_of_collnet(*collnet_tuning(version), job);
}

NcclCandidates nccl_candidates(const LibraryVersion& version, const NcclJob& job, std::optional<Algorithm> forced) {
  NcclCandidates candidates{version, job, forced};
  if (version < nccl_with_estimates) return candidates;
  candidates.tuning = &nccl_tuning(version);
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::tree, Algorithm::nvls, Algorithm::nvls_sharp, Algorithm::collnet}) {
    if (forced && estimated_as(*forced) != algorithm) continue;
    for (const Protocol protocol : protocols)
      if (const auto candidate = candidate_of(version, *candidates.tuning, job, {algorithm, protocol}))
        candidates.all.push_back(*candidate);
  }
  return candidates;
}

AlgorithmAndProtocol nccl_choice(const NcclCandidates& candidates, double size_bytes) {
  if (candidates.tuning == nullptr)
    return choice_by_size(candidates.version, candidates.job, size_bytes, candidates.forced);
  AlgorithmAndProtocol least{candidates.forced.value_or(Algorithm::ring),
                             candidates.job.protocol.value_or(Protocol::simple)};
  double least_s = std::numeric_limits<double>::infinity();
  for (const auto& candidate : candidates.all) {
    const double candidate_s = estimate_s(*candidates.tuning, candidates.job, candidate, size_bytes);
    if (candidate_s >= least_s) continue;
    least = {candidates.forced.value_or(candidate.choice.algorithm), candidate.choice.protocol};
    least_s = candidate_s;
  }
  return least;
}

} // namespace ddlsim
