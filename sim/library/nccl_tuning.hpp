#pragma once
// The constants by which NCCL estimates an all-reduce before it chooses how to run it, by version. They are NVIDIA's
// fits, of NVIDIA/nccl src/graph/tuning.cc; the tags are named in the source.

#include "sim/formats/library_version.hpp"
#include "sim/formats/names.hpp"

#include <array>
#include <optional>
#include <vector>

namespace ddlsim {

/// Values for LL, LL128 and Simple.
using PerProtocol = std::array<double, 3>;

/// Index of a protocol in PerProtocol. `Protocol::none` has no index.
std::size_t column_of(Protocol protocol);

/// Values for a ring and a tree.
struct RingAndTree {
  PerProtocol ring;
  PerProtocol tree;
};

/// The link that a hop of a message crosses.
enum class NcclHop { nvlink, pci, network };

/// GPU generations that NCCL distinguishes. volta stands for all earlier ones, too.
enum class NcclGpu { volta, ampere, hopper, blackwell };

/// A ceiling in GB/s on one node, on two, and on more.
using PerNodes = std::array<double, 3>;
template <class Value> using PerGpu = std::array<Value, 4>;

/// Constants of NVLS inside an NVLink domain, and of its tree between several domains.
struct NvlsTuning {
  bool is_there = false;
  double base_us = 0;
  double hop_us = 0;           ///< through the switches of a domain and back
  double network_hop_us = 0;   ///< of its tree
  double sharp_hop_us = 0;     ///< to the switches between nodes that sum, and back
  bool counts_nodes = false;   ///< the tree's latency grows with the number of nodes, not with its logarithm
  double share = 0;            ///< rate at which the vector is summed, over the links' rate
  double tree_share = 0;       ///< the same ratio across nodes
  bool by_efficiency = false;  ///< from 2.28 on: bus rates follow from `efficiency`
  PerGpu<double> efficiency{}; ///< share of a port's rate that each GPU reaches
  PerGpu<PerNodes> tree_channel_ceiling{};
};

/// A variant of CollNet: all GPUs of a node at once (Direct), or one after another (Chain).
struct CollnetVariant {
  double nvlink_hop_us = 0; ///< inside a node: Direct counts two hops, Chain two for each GPU after the first
  double pci_hop_us = 0;
  double network_us = 0; ///< to the switches and back
  double gpu_us = 0;     ///< counted twice for each GPU of a node after the first
  double share = 1;      ///< of the links' rate
  bool is_chain = false;
};

/// CollNet's constants from a version on, for protocol Simple (CollNet with LL, in 2.6 to 2.9, is not modelled).
struct CollnetTuning {
  LibraryVersion from;
  std::optional<CollnetVariant> direct{}; ///< where `chain` exists, too: on an NVSwitch only
  std::optional<CollnetVariant> chain{};
  bool counts_heads = false;   ///< Direct is slower where a node has fewer NICs than GPUs
  double hopper_share = 1;     ///< of Direct's rate, from Hopper on
  double alone_network_us = 0; ///< replaces network_us with one GPU a node; 0: network_us holds
};

/// Constants from one version up to the next in the list. Times are in microseconds and rates in GB/s, as in NCCL.
struct NcclTuning {
  LibraryVersion from;
  RingAndTree base_us;
  std::array<RingAndTree, 3> hop_us; ///< by NcclHop
  double ll_ring_share;              ///< share of the links' rate that a ring reaches with LL
  double ll128_ring_share;
  double ll128_ring_share_alone; ///< with one GPU a node, whose NIC sends and receives for the same GPU
  double tree_share;
  double ll_tree_share; ///< share of a tree's rate that it reaches with LL
  double ll128_tree_share_one_node;
  double ll128_tree_share;
  PerGpu<PerNodes> ll_ceiling; ///< across nodes the row is by processor: first Intel, then AMD
  PerGpu<PerNodes> tree_channel_ceiling;
  PerGpu<PerNodes> ring_ll128_channel_ceiling;
  PerGpu<PerNodes> tree_ll128_channel_ceiling;
  std::array<std::vector<double>, 3> tree_correction; ///< by protocol, then by doublings of least_corrected_bytes
  bool ring_hops_as_network;                          ///< across nodes every step of a ring counts as a network hop
  double plateau; ///< factor on a Simple ring's latency across nodes, from a size on
  double plateau_from_ampere;
  bool plateau_by_channel;   ///< from 64 bytes a rank and channel; else from 4 KiB a rank
  double ll_intra_factor;    ///< on LL's hop inside a node, in jobs on several nodes
  bool has_network_overhead; ///< a hop inside a node takes at least what the network's proxy takes
  bool ll128_on_ampere;
  bool heeds_plugin; ///< it uses the latency that the network's plug-in states, and the protocols that it allows
  NvlsTuning nvls{};
};

/// The constants of a version. NCCL chooses by estimated time from 2.5 on; versions before get the constants of 2.5.
const NcclTuning& nccl_tuning(const LibraryVersion& version);

/// Message size of the first value in each row of tree_correction.
inline constexpr double least_corrected_bytes = 64;

/// The value of the protocol's row for a message of least_corrected_bytes doubled `doublings` times, a whole number; 1
/// beyond the last value.
double tree_correction(const NcclTuning& tuning, Protocol protocol, double doublings);

/// CollNet's constants of a version; null before 2.6, which has no CollNet.
const CollnetTuning* collnet_tuning(const LibraryVersion& version);

/// Share of a port's rate that NVLS reaches on that GPU, by NVIDIA's own fit (tag v2.28.3-1, nvlsEfficiency); 0 before
/// Hopper.
double nvls_efficiency(NcclGpu gpu);

/// The version whose hop latencies our NVLS uses: the first with that fit.
inline constexpr LibraryVersion nccl_with_nvls_fit{CollectiveLibrary::nccl, 2, 28, 3};

/// The first version with trees.
inline constexpr LibraryVersion nccl_with_trees{CollectiveLibrary::nccl, 2, 4, 0};
/// The first version that chooses by estimated time.
inline constexpr LibraryVersion nccl_with_estimates{CollectiveLibrary::nccl, 2, 5, 0};

} // namespace ddlsim
