#include "diagnose/fault.hpp"

#include "sim/base/statistics.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

void slow_link(double severity, FaultySetup& one) {
  one.setup.slow_node.network_factor /= severity;
}

/// One crossing of the network then takes NCCL 22 us instead of 5 (the source of net_latency over nccl-ib in
/// platforms/priors.json), and every byte passes host memory.
void through_host_memory(double severity, FaultySetup& one) {
  constexpr double slower_crossing = 22.0 / 5;
  one.sample.net_latency_s *= slower_crossing;
  one.sample.nic_efficiency /= severity;
}

/// The number of nodes for which severities are stated: the factor by which the slowest of that many nodes is slower
/// than the others.
constexpr int usual_nodes = 16;

double spread_for(double severity) {
  return (severity - 1) / expected_largest_normal(usual_nodes);
}

void uneven_links(double severity, FaultySetup& one) {
  one.sample.link_spread += spread_for(severity);
}

void uneven_nodes(double severity, FaultySetup& one) {
  one.sample.step_spread += spread_for(severity);
}

void slow_messages(double severity, FaultySetup& one) {
  one.sample.net_latency_s *= severity;
  one.sample.operation_cost_s *= severity;
}

void slow_inside(double severity, FaultySetup& one) {
  one.sample.intra_efficiency /= severity;
}

void only_rings(double, FaultySetup& one) {
  one.setup.strategy.name = StrategyName::ring;
}

void only_trees(double, FaultySetup& one) {
  one.setup.strategy.name = StrategyName::tree;
}

void only_low_latency(double, FaultySetup& one) {
  one.setup.protocol = Protocol::ll;
}

void only_simple(double, FaultySetup& one) {
  one.setup.protocol = Protocol::simple;
}

void slow_gpus(double severity, FaultySetup& one) {
  one.sample.compute_factor *= severity;
}

void slow_host(double severity, FaultySetup& one) {
  one.setup.slow_node.compute_factor *= severity;
}

void small_buckets(double severity, Preset& preset) {
  preset.first_bucket_bytes /= severity;
  preset.bucket_bytes /= severity;
}

/// Slows the scenario's loader. If the scenario names none, it slows a loader with the rate that a node needs to keep
/// its GPUs busy.
void slow_loader(double severity, FaultySetup& one) {
  auto& input = one.setup.input;
  if (input.loader_samples_per_s > 0) {
    input.loader_samples_per_s /= severity;
  } else if (input.core_samples_per_s > 0 || input.gpu_samples_per_s > 0) {
    input.core_samples_per_s /= severity;
    input.gpu_samples_per_s /= severity;
  } else {
    input.loader_samples_per_s = one.setup.gpus_per_node / one.healthy_sample_s / severity;
  }
}

void slow_storage(double severity, FaultySetup& one) {
  one.setup.input.shared_read_Bps /= severity;
}

void slow_server(double severity, FaultySetup& one) {
  one.sample.server_process_Bps /= severity;
  one.sample.server_connection_Bps /= severity;
}

constexpr double most_of_links = 64; ///< covers an InfiniBand port of 400 Gbit/s that runs at 10
constexpr double most_of_others = 16;

constexpr FaultRow all_faults[] = {
    {Fault::sockets, "sockets", "TCP sockets carry what InfiniBand or RoCE verbs should",
     "run with NCCL_DEBUG=INFO and look for NET/Socket in place of NET/IB; look at ibstat, NCCL_IB_DISABLE and the "
     "plug-in in the container",
     true, Severity::none, 1, nullptr},
    {Fault::link, "link", "the network of a node (NIC, cable, port, fewer ports than it has)",
     "run nccl-tests between pairs of nodes; look at rate, width and error counters of each NIC, cable and port, at "
     "NCCL_IB_HCA and at the NET devices that NCCL_DEBUG=INFO counts",
     true, Severity::factor, most_of_links, slow_link},
    {Fault::gpudirect, "gpudirect", "no GPUDirect RDMA: bytes pass host memory",
     "look for GDRDMA in NCCL_DEBUG=INFO; look at nvidia-peermem, ACS and NCCL_NET_GDR_LEVEL", true, Severity::factor,
     4, through_host_memory},
    {Fault::contention, "contention", "other jobs on the network (uneven links: by factor on 16 nodes)",
     "measure again at night; look at the counters of links between switches and at what else runs", true,
     Severity::factor, most_of_others, uneven_links},
    {Fault::latency, "latency", "each message's latency",
     "run nccl-tests with small sizes; look at pinning, interrupts and power states of processors", true,
     Severity::factor, most_of_links, slow_messages},
    {Fault::inside, "inside", "the path between GPUs of a node",
     "run nccl-tests on one node; look at nvidia-smi topo -m, peer access and ACS", true, Severity::factor,
     most_of_others, slow_inside},
    {Fault::pcie, "pcie", "PCIe joins the GPUs of a node that NVLink should join",
     "look at nvidia-smi topo -m and nvidia-smi nvlink -s; run with NCCL_DEBUG=INFO and look for P2P and SHM", true,
     Severity::none, 1, nullptr},
    {Fault::ring, "ring", "rings only, where the library would choose others",
     "look at NCCL_ALGO and at configuration files of the library", true, Severity::none, 1, only_rings},
    {Fault::tree, "tree", "trees only, where the library would choose others",
     "look at NCCL_ALGO and at configuration files of the library", true, Severity::none, 1, only_trees},
    {Fault::low_latency_protocol, "ll", "the LL protocol only, at half the rate of large messages",
     "look at NCCL_PROTO and at configuration files of the library", true, Severity::none, 1, only_low_latency},
    {Fault::simple_protocol, "simple", "the Simple protocol only, slow for small messages",
     "look at NCCL_PROTO and at what a network plug-in sets", true, Severity::none, 1, only_simple},
    {Fault::gpu, "gpu", "the compute of every GPU (throttled, or slower software)",
     "time one GPU alone; look at clocks, power limits, precision and the versions of framework and cuDNN", false,
     Severity::factor, most_of_others, slow_gpus},
    {Fault::host, "host", "the compute of one node, or of one GPU of it",
     "time one node after another alone; look at its GPUs' clocks, power limits and other processes", false,
     Severity::factor, most_of_others, slow_host},
    {Fault::stragglers, "stragglers", "stragglers: jitter of the nodes' compute (by factor on 16 nodes)",
     "compare the step times of ranks; look at garbage collection, logging and daemons", false, Severity::factor,
     most_of_others, uneven_nodes},
    {Fault::buckets, "buckets", "gradients sent in buckets that are too small",
     "look at bucket_cap_mb, HOROVOD_FUSION_THRESHOLD and static_graph", false, Severity::factor, most_of_links,
     nullptr, small_buckets},
    {Fault::loader, "loader", "the data loading of every node",
     "train on synthetic data; look at the loader's workers and at how busy the cores are", false, Severity::factor,
     most_of_links, slow_loader},
    {Fault::storage, "storage", "the storage that all nodes read",
     "train on synthetic data, then from a node's own disk; look at what else reads", false, Severity::factor,
     most_of_links, slow_storage},
    {Fault::server, "server", "every parameter server",
     "look at the servers' cores and sockets; give each more of them, or start more servers", false, Severity::factor,
     most_of_others, slow_server}};

} // namespace

StepSetup with_preset(const StepSetup& setup, const Preset& preset) {
  return {setup.model,         setup.gpu,       setup.cluster,   preset,
          setup.transport,     setup.strategy,  setup.precision, setup.wire_bytes_per_parameter,
          setup.batch_per_gpu, setup.one_gpu_s, setup.gpus,      setup.gpus_per_node,
          setup.synchronised,  setup.slow_node, setup.input,     setup.protocol,
          setup.cross_entropy, setup.optimizer, setup.fabrics};
}

std::span<const FaultRow> fault_rows() {
  return all_faults;
}

} // namespace ddlsim
