#pragma once
// How NCCL runs an all-reduce: it estimates the time of every algorithm and protocol, and chooses the least.

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

/// A job as NCCL sees it after its search for rings and trees. Rates are those that NCCL assumes of the hardware, which
/// are not those that messages reach.
struct NcclJob {
  int ranks = 1;
  int nodes = 1;
  NcclHop intra = NcclHop::pci; ///< NVLink or PCIe
  NcclGpu gpu = NcclGpu::volta;
  bool is_amd_processor = false;
  bool may_ll128 = false;
  bool before_volta = false;
  int channels = 2;
  int domain_nodes = 1; ///< nodes that one of `nodes` stands for: those of an NVLink domain
  double ring_GBps = 0; ///< bus rate of a ring over all its channels
  double tree_GBps = 0;
  bool has_nvls = false;              ///< the node has an NVSwitch that sums, and more than two GPUs on it
  double port_GBps = 0;               ///< rate of one GPU into the switch; used with has_nvls only
  double network_GBps = 0;            ///< rate of all NICs of a node together
  bool has_collnet = false;           ///< the fabric's switches can sum, and NCCL may use that
  bool has_switch = false;            ///< the GPUs of a node are on an NVSwitch
  bool simple_only = false;           ///< the network's plug-in allows protocol Simple only
  std::optional<Protocol> protocol{}; ///< the only protocol that NCCL may use (NCCL_PROTO); nothing: NCCL chooses
  double plugin_latency_us = 0;       ///< latency that the network's plug-in states to NCCL; 0: it states none
  int nics = 0;                       ///< number of NICs of a node; used with has_collnet only
  double collnet_GBps = 0;            ///< bus rate of CollNet, to the switches and back

  bool operator==(const NcclJob&) const = default;
};

/// The job as NCCL sees it on a cluster. Cluster files do not state some facts, which are assumed: every NIC has two
/// channels (as 2.8.4 has on one 100 Gbit/s port), a domain of nodes 16; up to two GPUs of a NIC share a PCIe switch with it, so that LL128
/// may cross nodes.
NcclJob nccl_job(const Cluster& cluster, const Transport& transport, const Gpu& gpu, int ranks, int gpus_per_node);

/// Whether this version runs NVLS on such a job, which it does from 2.18 on. Version 2.17, which has NVLS on one node
/// only, counts as without.
bool runs_nvls(const LibraryVersion& version, const NcclJob& job);

/// Whether this version runs NVLS with switches that sum between nodes: it runs both NVLS and CollNet.
bool runs_nvls_sharp(const LibraryVersion& version, const NcclJob& job);

/// Whether this version runs CollNet on such a job, which it does from 2.6 on across nodes of at most 8 GPUs.
bool runs_collnet(const LibraryVersion& version, const NcclJob& job);

/// The variant of CollNet that this version uses on such a job. Call it only where runs_collnet() is true.
const CollnetVariant& collnet_variant(const LibraryVersion& version, const NcclJob& job);

/// NCCL's estimate of an all-reduce's time, seconds; nothing where this version does not run that choice on this job.
/// From 2.5 on:
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

/// An algorithm and a protocol that a version can run on a job, with the terms of the estimate that do not depend on
/// the size.
struct NcclCandidate {
  AlgorithmAndProtocol choice;
  double latency_us = 0;
  double bus_GBps = 0; ///< bus rate of a ring or a tree; of other algorithms the rate at which the vector is summed
};

/// The candidates among which NCCL chooses. Its estimates of all sizes share them.
struct NcclCandidates {
  LibraryVersion version;
  NcclJob job;
  std::optional<Algorithm> forced{};
  /// constants of the version; null before 2.5, which chooses by size and not by an estimate
  const NcclTuning* tuning = nullptr;
  std::vector<NcclCandidate> all{};
};

/// The candidates of a job. With `forced` they are the protocols of that algorithm only. NCCL has no hierarchical ring
/// and no halving-doubling, whose estimates are those of its ring.
NcclCandidates nccl_candidates(const LibraryVersion& version, const NcclJob& job,
                               std::optional<Algorithm> forced = std::nullopt);

/// NCCL's choice: the candidate with the least estimate. Versions before 2.4 have rings only. Version 2.4 chooses a
/// tree up to some size, and LL up to another size (src/init.cc and src/enqueue.cc of 2.4.8).
AlgorithmAndProtocol nccl_choice(const NcclCandidates& candidates, double size_bytes);

} // namespace ddlsim
