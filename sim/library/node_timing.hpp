#pragma once
// How long NCCL's collectives take among the GPUs of one node or NVLink domain, by generation of GPU.

#include "sim/formats/names.hpp"
#include "sim/library/nccl_tuning.hpp"

namespace ddlsim {

/// The numbers of an all-to-all. With x = ((n-1)/n / share + own_copy / n) S / P it takes
///   base + (n-1) hop + x + ramp x / (x + ramp_at)
/// The symbols are those of NodeTiming.
struct NodeExchange {
  double base_s = 0;
  double hop_s = 0;
  double ramp_s = 0;
  double ramp_at_s = 0;
  double share = 0;
  double own_copy = 0;
};

/// The numbers of one generation.
///   n  number of GPUs                       S  bytes of the message
///   t  turns of a ring: 2 for an all-reduce, 1 for an all-gather or a reduce-scatter
///   s  steps of a ring: t (n-1)             c  s / n
///   P  rate of a GPU's port as NCCL counts it
/// A ring has x = (c / share + own_copy / n) S / P, and takes
///   with LL               base + s hop + (1 + ll_excess) x
///   with LL128 or Simple  base + s (hop + late_hop) + x + t ramp x / (x + t ramp_at)
/// NVLS has y = nvls_port_bytes S / (nvls_share P), and takes
///   base + s hop + nvls_extra + y + 2 ramp y / (y + 2 ramp_at)
/// The numbers are fits to tables of 2, 4 and 8 GPUs (AIConfigurator of NVIDIA, ai-dynamo/aiconfigurator at 095f58a,
/// NCCL 2.23 to 2.29). Their mean errors over all sizes and operations are 4 to 10 %.
struct NodeTiming {
  double base_s = 0;
  double hop_s = 0;
  double ll_excess = 0;
  double late_hop_s = 0;
  double ramp_s = 0;
  double ramp_at_s = 0;
  double all_reduce_share = 0;
  double gather_share = 0;
  double own_copy = 0;
  double nvls_share = 0;
  double nvls_extra_s = 0;
  NodeExchange all_to_all{};
};

/// The numbers of a generation; null for GPUs before Ampere, of which no such tables are known.
const NodeTiming* node_timing(NcclGpu gpu);

/// The same where PCIe joins the GPUs: one row for all of Ampere and later, with P the rate that the cluster reaches.
/// The latencies are fits to the tables of L40S and RTX PRO 6000 of the same source, where each number of GPUs had a rate
/// of its own, since paths behind the slots differ by machine.
const NodeTiming* pcie_timing(NcclGpu gpu);

/// What a collective costs on the GPUs' ports: the latency of all its steps, and the time of its bytes.
struct PortTime {
  double latency_s = 0;
  double bytes_s = 0;
};

/// A ring of that operation among `ranks` GPUs of one domain.
PortTime ring_in_node(const NodeTiming& timing, CollectiveOperation operation, Protocol protocol, int ranks,
                      double size_bytes, double port_Bps);

/// An all-reduce that the switches sum.
PortTime nvls_in_node(const NodeTiming& timing, int ranks, double size_bytes, double port_Bps);

/// An all-to-all in which every GPU holds `size_bytes`.
PortTime exchange_in_node(const NodeExchange& timing, int ranks, double size_bytes, double port_Bps);

/// Number of steps of a ring of that operation.
int ring_steps(CollectiveOperation operation, int ranks);

/// Bytes that NVLS is counted with for each byte of the message: those of a ring of 8 GPUs, since a domain of 72
/// reaches the same rate.
inline constexpr double nvls_port_bytes = 2 * 7.0 / 8;

} // namespace ddlsim
