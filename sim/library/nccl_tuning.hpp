#pragma once
// The constants by which NCCL estimates an all-reduce before it chooses how to run it, by version. They are NVIDIA's
// fits, of NVIDIA/nccl src/graph/tuning.cc; the tags are named in the source.

#include "sim/formats/library_version.hpp"
#include "sim/formats/names.hpp"

#include <array>
#include <optional>
#include <vector>

namespace ddlsim {

/// LL, LL128, Simple.
using PerProtocol = std::array<double, 3>;

/// Index of a protocol in PerProtocol. `Protocol::none` has no index.
std::size_t column_of(Protocol protocol);

/// Of a ring and a tree.
struct RingAndTree {
  PerProtocol ring;
  PerProtocol tree;
};

/// What a hop of a message crosses.
enum class NcclHop { nvlink, pci, network };

/// GPUs that NCCL tells apart. volta stands for all before, too.
enum class NcclGpu { volta, ampere, hopper, blackwell };

/// A ceiling in GB/s on one node, on two, and on more.
using PerNodes = std::array<double, 3>;
template <class Value> using PerGpu = std::array<Value, 4>;

/// Of NVLS inside an NVLink domain, and of its tree between several.
struct NvlsTuning {
  bool is_there = false;
  double base_us = 0;
  double hop_us = 0;           ///< through the switches of a domain, there and back
  double network_hop_us = 0;   ///< of its tree
  double sharp_hop_us = 0;     ///< to the switches between nodes that sum, and back
  bool counts_nodes = false;   ///< the tree's latency is taken to grow with the nodes, not with their logarithm
  double share = 0;            ///< of the links' rate that the vector is summed at
  double tree_share = 0;       ///< the same across nodes
  bool by_efficiency = false;  ///< from 2.28 on: bus rates by what each GPU reaches, see below
  PerGpu<double> efficiency{}; ///< of a port's rate, by GPU
  PerGpu<PerNodes> tree_channel_ceiling{};
};

/// A variant of CollNet: all GPUs of a node at once (Direct), or one after another (Chain).
struct CollnetVariant {
  double nvlink_hop_us = 0; ///< inside a node: Direct counts two hops, Chain two a GPU behind the first
  double pci_hop_us = 0;
  double network_us = 0; ///< to the switches and back
  double gpu_us = 0;     ///< twice for each GPU of a node behind the first
  double share = 1;      ///< of the links' rate
  bool is_chain = false;
};

/// CollNet of a version and those after it, protocol Simple (that of LL, 2.6 to 2.9, is not taken into account).
struct CollnetTuning {
  LibraryVersion from;
  std::optional<CollnetVariant> direct{}; ///< with a chain beside it: on an NVSwitch only
  std::optional<CollnetVariant> chain{};
  bool counts_heads = false;   ///< Direct is slower where a node has fewer NICs than GPUs
  double hopper_share = 1;     ///< of Direct's rate, from Hopper on
  double alone_network_us = 0; ///< in place of network_us with one GPU a node; 0: the same
};

/// One version and those after it, up to the next in the list. Times in microseconds and rates in GB/s, as NCCL has
/// them.
struct NcclTuning {
  LibraryVersion from;
  RingAndTree base_us;
  std::array<RingAndTree, 3> hop_us; ///< by NcclHop
  double ll_ring_share;              ///< of the links' rate that a ring reaches with LL
  double ll128_ring_share;
  double ll128_ring_share_alone; ///< with one GPU a node, whose NIC sends and receives for the same GPU
  double tree_share;
  double ll_tree_share; ///< of the tree's
  double ll128_tree_share_one_node;
  double ll128_tree_share;
  PerGpu<PerNodes> ll_ceiling; ///< across nodes the row tells processors apart: Intel's is the first, AMD's the second
  PerGpu<PerNodes> tree_channel_ceiling;
  PerGpu<PerNodes> ring_ll128_channel_ceiling;
  PerGpu<PerNodes> tree_ll128_channel_ceiling;
  std::array<std::vector<double>, 3> tree_correction; ///< by protocol, then by doublings of least_corrected_bytes
  bool ring_hops_as_network; ///< across nodes every step of a ring is taken to cross the network
  double plateau;            ///< of a Simple ring's latency across nodes, from a size on
  double plateau_from_ampere;
  bool plateau_by_channel;   ///< from 64 bytes a rank and channel; else from 4 KiB a rank
  double ll_intra_factor;    ///< on LL's hop inside a node, where there are several
  bool has_network_overhead; ///< a hop inside a node takes at least what the network's proxy takes
  bool ll128_on_ampere;
  bool heeds_plugin; ///< the network's plug-in of its time states a latency and may forbid protocols
  NvlsTuning nvls{};
};

/// The constants of a version from 2.5 on, from which NCCL chooses by estimated time; those of 2.5 for one before.
const NcclTuning& nccl_tuning(const LibraryVersion& version);

/// The smallest message of the rows of tree_correction.
inline constexpr double least_corrected_bytes = 64;

/// The row's value at that message doubled so many times, a whole number; 1 behind the last.
double tree_correction(const NcclTuning& tuning, Protocol protocol, double doublings);

/// Null before 2.6, which has none.
const CollnetTuning* collnet_tuning(const LibraryVersion& version);

/// What NVLS reaches of a port's rate on that GPU, by NVIDIA's own fit (tag v2.28.3-1, nvlsEfficiency); 0 before
/// Hopper.
double nvls_efficiency(NcclGpu gpu);

/// The version of whose hops NVLS has its delays: the first with that fit.
inline constexpr LibraryVersion nccl_with_nvls_fit{CollectiveLibrary::nccl, 2, 28, 3};

/// The first with trees.
inline constexpr LibraryVersion nccl_with_trees{CollectiveLibrary::nccl, 2, 4, 0};
/// The first that chooses by estimated time.
inline constexpr LibraryVersion nccl_with_estimates{CollectiveLibrary::nccl, 2, 5, 0};

} // namespace ddlsim
