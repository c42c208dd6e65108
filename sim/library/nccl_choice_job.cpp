#include "sim/library/nccl_choice.hpp"
#include "sim/network/machine.hpp"
#include "sim/network/nic_rate.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

/// Rate that NCCL counts over rate of the wire: it counts 12 GB/s for a wire of 100 Gbit/s, and 12 GB/s for a PCIe 3.0
/// x16 slot (NVIDIA/nccl src/graph/topo.h, 2.8.4 and snapshot of June 2026).
constexpr double counted_of_wire = 0.96;
constexpr double pcie_GBps = 12;
constexpr double Bps_in_GBps = 1e9;

constexpr int channels_per_nic = 2;
/// NCCL searches for half of MAXCHANNELS rings or trees (src/graph/search.cc and src/include/device.h, 2.18.3). An NVLink
/// domain of several nodes has more NICs than that.
constexpr int most_channels = 16;
/// Rate of a channel of a ring. NCCL lays two channels on every NVLink that a ring uses, and counts 18 to 40 GB/s a
/// link, by generation.
constexpr double GBps_per_nvlink_channel = 10.5;

constexpr int volta = 70;

NcclGpu gpu_seen(const Gpu& gpu) {
  constexpr int ampere = 80;
  constexpr int hopper = 90;
  constexpr int blackwell = 100;
  if (gpu.compute_capability >= blackwell) return NcclGpu::blackwell;
  if (gpu.compute_capability >= hopper) return NcclGpu::hopper;
  return gpu.compute_capability >= ampere ? NcclGpu::ampere : NcclGpu::volta;
}

/// Whether stores of 128 bytes arrive whole, which LL128 needs. NVIDIA allows LL128 on these GPUs if all are on NVLink.
bool stores_arrive_whole(const Gpu& gpu, NcclHop intra) {
  const int capability = gpu.compute_capability;
  return intra == NcclHop::nvlink && (capability == volta || capability == 80 || capability >= 90);
}

bool is_nvlink(IntraKind kind) {
  return kind == IntraKind::nvlink_mesh || kind == IntraKind::nvswitch;
}

/// Whether the NVLink switches can sum, as those of Hopper and later can. NCCL looks for NVLS from compute capability
/// 9.0 on (src/graph/search.cc, 2.18.3), and does without it for two GPUs (src/transport/nvls.cc).
bool has_nvlink_sharp(const Gpu& gpu, IntraKind kind) {
  return kind == IntraKind::nvswitch && gpu_seen(gpu) >= NcclGpu::hopper;
}

constexpr int most_gpus_without_nvls = 2;

/// Sets the job's facts for CollNet. SHARP is a feature of InfiniBand, which NCCL uses through a plug-in. Inside a node
/// NCCL looks for up to twice a NIC's rate (src/graph/search.cc, 2.18.3), because a byte goes through the node twice
/// and through the NIC once.
void add_collnet(const Cluster& cluster, const Transport& transport, NcclJob& job, double inside_GBps, int nics) {
  job.has_collnet = cluster.fabric.sharp && transport.name == "nccl-ib" && job.nodes > 1;
  if (!job.has_collnet) return;
  job.nics = nics;
  const double twice_GBps = 2 * job.network_GBps;
  job.collnet_GBps = job.ranks > job.nodes ? std::min(inside_GBps, twice_GBps) : twice_GBps;
}

/// Sets what the network's plug-in states. NCCL uses EFA through aws-ofi-nccl, which since 2023 states 75 us for p4d,
/// p5 and instances that it does not know (src/platform-aws.cpp at 2daf7d3). It states 35 us for p5en and later, which
/// no shipped cluster has. It also forces NCCL_PROTO=simple where bytes may arrive out of order, as with the send and
/// receive that it uses before p5.
void add_plugin(const Nic& nic, NcclJob& job) {
  constexpr double efa_latency_us = 75;
  if (nic.path != NicPath::efa) return;
  job.plugin_latency_us = efa_latency_us;
  job.simple_only = job.gpu < NcclGpu::hopper;
}

} // namespace

NcclJob nccl_job(const Cluster& cluster, const Transport& transport, const Gpu& gpu, int ranks, int gpus_per_node) {
  NcclJob job;
  const int per_node = std::max(1, std::min(ranks, gpus_per_node * domain_nodes(cluster, transport)));
  job.ranks = ranks;
  job.nodes = (ranks + per_node - 1) / per_node;
  job.intra = is_nvlink(cluster.intra.kind) ? NcclHop::nvlink : NcclHop::pci;
  job.gpu = gpu_seen(gpu);
  job.before_volta = gpu.compute_capability > 0 && gpu.compute_capability < volta;
  job.is_amd_processor = cluster.cpu.find("EPYC") != std::string::npos;
  const double inside_GBps = cluster.intra.bandwidth_Bps > 0 ? cluster.intra.bandwidth_Bps / Bps_in_GBps : pcie_GBps;
  job.may_ll128 = stores_arrive_whole(gpu, job.intra);
  job.ring_GBps = job.tree_GBps = job.port_GBps = inside_GBps;
  job.has_nvls = has_nvlink_sharp(gpu, cluster.intra.kind) && per_node > most_gpus_without_nvls;
  job.channels = job.intra == NcclHop::nvlink ? static_cast<int>(inside_GBps / GBps_per_nvlink_channel) : 2;
  job.channels = std::max(2, job.channels);
  if (job.nodes == 1 || transport.nic.empty()) return job;
  const Nic& nic = find_nic(cluster, transport.nic);
  const int joined = domain_nodes(cluster, transport);
  if (joined > 1) job.has_nvls = false; // NVLS does not cross the border of an NVLink domain
  const int nics = nic.count * joined;
  const double network_GBps = nic_rate_Bps(nic, {.efficiency = counted_of_wire, .joined = 1.0 * joined}) / Bps_in_GBps;
  job.network_GBps = network_GBps;
  job.ring_GBps = per_node > 1 ? std::min(inside_GBps, network_GBps) : network_GBps;
  job.tree_GBps = job.nodes == 2 && per_node > 1 ? std::min(inside_GBps, 2 * network_GBps) : job.ring_GBps;
  job.channels = joined > 1 ? std::min(most_channels, channels_per_nic * nics) : channels_per_nic * nics;
  job.domain_nodes = joined;
  job.has_switch = cluster.intra.kind == IntraKind::nvswitch;
  add_collnet(cluster, transport, job, inside_GBps, nics);
  if (transport.name == "nccl-ib") add_plugin(nic, job);
  job.may_ll128 = job.may_ll128 && 2 * nic.count >= cluster.gpus_per_node;
  return job;
}

} // namespace ddlsim
