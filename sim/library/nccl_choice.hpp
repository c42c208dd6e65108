#pragma once
// How NCCL runs an all-reduce: it estimates the time of every algorithm and protocol, and takes the least.

#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/library/nccl_tuning.hpp"

#include <optional>
#include <vector>

namespace ddlsim {

/// How the library runs one collective.
struct AlgorithmAndProtocol {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::none;

  bool operator==(const AlgorithmAndProtocol&) const = default;
};

/// A job as NCCL sees it once it has looked for rings and trees. Rates are what NCCL assumes of the hardware, not what
/// is reached.
struct NcclJob {
  int ranks = 1;
  int nodes = 1;
  NcclHop intra = NcclHop::pci; ///< nvlink or pci
  NcclGpu gpu = NcclGpu::volta;
  bool is_amd_processor = false;
  bool may_ll128 = false;
  bool before_volta = false;
  int channels = 2;
  double ring_GBps = 0; ///< a ring's bus, all channels
  double tree_GBps = 0;
  bool has_nvls = false;              ///< an NVSwitch that sums, and more than two GPUs on it
  double port_GBps = 0;               ///< of one GPU into the switch; read with has_nvls only
  double network_GBps = 0;            ///< all NICs of a node
  bool has_collnet = false;           ///< the fabric's switches sum, and NCCL may ask them
  bool has_switch = false;            ///< the GPUs of a node are on an NVSwitch
  bool simple_only = false;           ///< the network's plug-in allows no other protocol
  std::optional<Protocol> protocol{}; ///< the only one that it may take (NCCL_PROTO); nothing: it chooses
  double plugin_latency_us = 0;       ///< of the network, as its plug-in tells NCCL; 0: it tells none
  int nics = 0;                       ///< of a node; read with has_collnet only
  double collnet_GBps = 0;            ///< a bus to the switches and back

  bool operator==(const NcclJob&) const = default;
};

/// Assumed where a cluster file does not say: every NIC has two channels (2.8.4 on one 100 Gbit/s port). Where there
/// are two GPUs or fewer to a NIC, they share a PCIe switch with it, so that LL128 may cross nodes.
NcclJob nccl_job(const Cluster& cluster, const Transport& transport, const Gpu& gpu, int ranks, int gpus_per_node);

/// This version runs NVLS on such a job: from 2.18 on (2.17 has it on one node only, and is taken as without).
bool runs_nvls(const LibraryVersion& version, const NcclJob& job);

/// This version runs NVLS with sums in the switches between nodes: where it runs both NVLS and CollNet.
bool runs_nvls_sharp(const LibraryVersion& version, const NcclJob& job);

/// This version runs CollNet on such a job: from 2.6 on, across nodes of 8 GPUs at most.
bool runs_collnet(const LibraryVersion& version, const NcclJob& job);

/// The variant of CollNet that it takes; read where runs_collnet() only.
const CollnetVariant& collnet_variant(const LibraryVersion& version, const NcclJob& job);

/// NCCL's estimate in seconds; nothing where this version does not run that on this job. From 2.5 on:
///   ring  base + (inside steps) hop + (2(nodes-1)) network hop + S / (bus ranks / 2(ranks-1))
///   tree  base + 2 ((ranks a node - 1) hop + log2(nodes) network hop) + S / (bus / 2)
///   nvls  base + hop + 2 log2(nodes) network hop + S / rate; Simple only, from 2.18 on. With g GPUs on a switch, a
///         port of rate b and all NICs of a node w: on one node 5/6 of b g/(g+1), across nodes 5/6 of the least of that
///         and w (w/2 from 3 nodes on); from 2.28 on e b g/(g+1) with e of the GPU, across nodes the least of that bus,
///         of w (2w on two nodes) and of a ceiling a channel
///   nvls-sharp
///         base + hop + sharp hop + S / rate; rate: 5/6 of the least of b g/(g+1) and w (2.18: of the first on two
///         nodes, of the second from three on); from 2.28 on of the bus as above and w, over 2(ranks-1)/ranks
///   collnet
///         2 hop (Chain: 2 (g-1) hop) + 2 (g-1) serialisation + network + S / (bus / 2); Simple only. The bus is the
///         least of a GPU's path and twice the NICs; from 2.14 on Direct, with f = g / NICs of a node, has 2 / (f+1) of
///         it
/// with the shares and ceilings of NcclTuning.
std::optional<double> nccl_estimate_s(const LibraryVersion& version, const NcclJob& job,
                                      const AlgorithmAndProtocol& choice, double size_bytes);

/// An algorithm and a protocol that this version runs on a job, with what the size does not change.
struct NcclCandidate {
  AlgorithmAndProtocol choice;
  double latency_us = 0;
  double bus_GBps = 0; ///< of a ring or a tree; else the rate at which the vector is summed
};

/// Among which NCCL chooses: its estimates of many sizes share them.
struct NcclCandidates {
  LibraryVersion version;
  NcclJob job;
  std::optional<Algorithm> forced{};
  const NcclTuning* tuning = nullptr; ///< of the version, which stays; none before 2.5, which chooses by size
  std::vector<NcclCandidate> all{};
};

/// With `forced`, only the protocols of that algorithm. Hierarchical ring and halving-doubling, which NCCL does not
/// have, are taken to pass messages on as its ring does.
NcclCandidates nccl_candidates(const LibraryVersion& version, const NcclJob& job,
                               std::optional<Algorithm> forced = std::nullopt);

/// What NCCL takes: the candidate of least estimate. Before 2.4 there are rings only; 2.4 takes a tree up to a size, and both
/// take LL up to a size (src/init.cc and src/enqueue.cc of 2.4.8).
AlgorithmAndProtocol nccl_choice(const NcclCandidates& candidates, double size_bytes);

} // namespace ddlsim
