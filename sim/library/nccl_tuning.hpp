#pragma once
// The constants by which each version of NCCL estimates an all-reduce before it chooses how to run it. They are
// NVIDIA's fits, of NVIDIA/nccl src/graph/tuning.cc; the source names the tags.

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

/// The generations of GPUs that NCCL distinguishes. `volta` stands for all earlier ones, too.
enum class NcclGpu { volta, ampere, hopper, blackwell };

/// Ceilings in GB/s: on one node, on two nodes, and on more.
using PerNodes = std::array<double, 3>;
template <class Value> using PerGpu = std::array<Value, 4>;

/// Constants of NVLS inside an NVLink domain, and of its tree between several domains.
struct NvlsTuning {
  bool is_there = false;
  double base_us = 0;
  double hop_us = 0;           ///< latency through the switches of a domain and back
  double network_hop_us = 0;   ///< latency of a hop of the tree between domains
  double sharp_hop_us = 0;     ///< latency to the summing switches between nodes and back
  bool counts_nodes = false;   ///< the tree's latency grows with the number of nodes, and not with its logarithm
  double share = 0;            ///< rate at which the vector is summed, over the links' rate
  double tree_share = 0;       ///< the same ratio in a job on several nodes
  bool by_efficiency = false;  ///< bus rates follow from `efficiency`, as they do from 2.28 on
  PerGpu<double> efficiency{}; ///< share of a port's rate that each GPU reaches
  PerGpu<PerNodes> tree_channel_ceiling{};
};

/// A variant of CollNet: all GPUs of a node at once (Direct), or one after another (Chain).
struct CollnetVariant {
  double nvlink_hop_us = 0; ///< latency inside a node: Direct counts two hops, Chain two for each GPU after the first
  double pci_hop_us = 0;
  double network_us = 0; ///< latency to the switches and back
  double gpu_us = 0;     ///< latency that counts twice for each GPU of a node after the first
  double share = 1;      ///< share of the links' rate that is reached
  bool is_chain = false;
};

/// CollNet's constants from one version on, for protocol Simple. CollNet with LL, in 2.6 to 2.9, is not modelled.
struct CollnetTuning {
  LibraryVersion from;
  std::optional<CollnetVariant> direct{}; ///< Direct, in versions that have both variants; it runs on an NVSwitch only
  std::optional<CollnetVariant> chain{};
  bool counts_heads = false;   ///< Direct is slower where a node has fewer NICs than GPUs
  double hopper_share = 1;     ///< share of Direct's rate, from Hopper on
  double alone_network_us = 0; ///< used instead of network_us with one GPU a node; 0: network_us applies there too
};

/// The constants of one version and of those up to the next in the list. Times are in microseconds and rates in GB/s,
/// as in NCCL.
struct NcclTuning {
  LibraryVersion from;
  RingAndTree base_us;
  std::array<RingAndTree, 3> hop_us; ///< latency of a hop, by NcclHop
  double ll_ring_share;              ///< share of the links' rate that a ring reaches with LL
  double ll128_ring_share;
  double ll128_ring_share_alone; ///< the same share with one GPU a node, whose NIC sends and receives for one GPU
  double tree_share;
  double ll_tree_share; ///< share of a tree's rate that it reaches with LL
  double ll128_tree_share_one_node;
  double ll128_tree_share;
  PerGpu<PerNodes> ll_ceiling; ///< ceiling of LL; across nodes the row is by processor: Intel, then AMD
  PerGpu<PerNodes> tree_channel_ceiling;
  PerGpu<PerNodes> ring_ll128_channel_ceiling;
  PerGpu<PerNodes> tree_ll128_channel_ceiling;
  /// share that a tree reaches, by protocol and then by doublings of least_corrected_bytes
  std::array<std::vector<double>, 3> tree_correction;
  bool ring_hops_as_network; ///< across nodes every step of a ring counts as a network hop
  double plateau;            ///< factor on the latency of a Simple ring across nodes, from some size on
  double plateau_from_ampere;
  bool plateau_by_channel;   ///< the factor applies from 64 bytes a rank and channel; else from 4 KiB a rank
  double ll_intra_factor;    ///< factor on LL's hop inside a node, in jobs on several nodes
  bool has_network_overhead; ///< a hop inside a node takes at least what the network's proxy takes
  bool ll128_on_ampere;
  bool heeds_plugin; ///< it uses the latency and the protocols that the network's plug-in states
  NvlsTuning nvls{};
};

/// The constants of a version. Versions before 2.5, which do not choose by estimated time, get those of 2.5.
const NcclTuning& nccl_tuning(const LibraryVersion& version);

/// Message size of the first value in each row of tree_correction.
inline constexpr double least_corrected_bytes = 64;

/// The value of the protocol's row for a message of 2^`doublings` times least_corrected_bytes; 1 beyond the last value.
/// `doublings` is a whole number.
double tree_correction(const NcclTuning& tuning, Protocol protocol, double doublings);

/// CollNet's constants of a version; null before 2.6, which has no CollNet.
const CollnetTuning* collnet_tuning(const LibraryVersion& version);

/// The first version that states NVLS by the share of a port's rate, and the newest latencies of a hop over NVLink.
inline constexpr LibraryVersion nccl_with_nvls_fit{CollectiveLibrary::nccl, 2, 28, 3};

/// The first version that has trees.
inline constexpr LibraryVersion nccl_with_trees{CollectiveLibrary::nccl, 2, 4, 0};
/// The first version that chooses by estimated time.
inline constexpr LibraryVersion nccl_with_estimates{CollectiveLibrary::nccl, 2, 5, 0};

} // namespace ddlsim
