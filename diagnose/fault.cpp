#include "diagnose/diagnose.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

/// A NIC, cable or port of one node: the others wait for it.
void slow_link(double severity, double, FaultySetup& one) {
  one.setup.slow_node.network_factor /= severity;
}

void slow_host(double severity, double, FaultySetup& one) {
  one.setup.slow_node.compute_factor *= severity;
}

void slow_gpus(double severity, double, FaultySetup& one) {
  one.sample.compute_factor *= severity;
}

void slow_inside(double severity, double, FaultySetup& one) {
  one.sample.intra_efficiency /= severity;
}

void slow_messages(double severity, double, FaultySetup& one) {
  one.sample.net_latency_s *= severity;
  one.sample.operation_cost_s *= severity;
}

/// The scenario's loader; where it names none, what a node would need to keep its GPUs busy.
void slow_loader(double severity, double healthy_sample_s, FaultySetup& one) {
  auto& input = one.setup.input;
  if (input.loader_samples_per_s > 0) {
    input.loader_samples_per_s /= severity;
  } else if (input.core_samples_per_s > 0 || input.gpu_samples_per_s > 0) {
    input.core_samples_per_s /= severity;
    input.gpu_samples_per_s /= severity;
  } else {
    input.loader_samples_per_s = one.setup.cluster.gpus_per_node / healthy_sample_s / severity;
  }
}

/// The scenario's shared storage; where it names none, what all nodes at hand would need together.
void slow_storage(double severity, double healthy_sample_s, FaultySetup& one) {
  auto& input = one.setup.input;
  if (input.shared_read_Bps > 0) {
    input.shared_read_Bps /= severity;
    return;
  }
  if (input.bytes_per_sample <= 0) input.bytes_per_sample = 1; // only the rate of samples counts
  const int gpus = one.setup.cluster.gpus_per_node * std::max(2, one.setup.cluster.available_nodes);
  input.shared_read_Bps = input.bytes_per_sample * gpus / healthy_sample_s / severity;
}

void slow_server(double severity, double, FaultySetup& one) {
  one.sample.server_process_Bps /= severity;
  one.sample.server_connection_Bps /= severity;
}

constexpr FaultKind all_faults[] = {
    {Fault::link, "link", "the network of a node",
     "run nccl-tests between pairs of nodes; look at the rate, width and error counters of each NIC, cable and port",
     true, slow_link},
    {Fault::host, "host", "the compute of one node",
     "time one node after another alone; look at its GPUs' clocks, power limits and other processes", false, slow_host},
    {Fault::gpu, "gpu", "the compute of every GPU",
     "time one GPU alone; look at clocks, power limits, precision and the versions of framework and cuDNN", false,
     slow_gpus},
    {Fault::inside, "inside", "the path between GPUs of a node",
     "run nccl-tests on one node; look at nvidia-smi topo -m, peer access and ACS", true, slow_inside},
    {Fault::latency, "latency", "each message's latency",
     "run nccl-tests with small sizes; look at the transport that the library says it took, and at pinning", true,
     slow_messages},
    {Fault::loader, "loader", "the loader of every node",
     "train on synthetic data; look at the loader's workers and at how busy the cores are", false, slow_loader},
    {Fault::storage, "storage", "the storage that all nodes read",
     "train on synthetic data, then from a node's own disk; look at what else reads", false, slow_storage},
    {Fault::server, "server", "every parameter server",
     "look at the servers' cores and sockets; give each more of them, or start more servers", false, slow_server}};

bool is_possible(const FaultKind& kind, const StepSetup& setup, int largest_gpus) {
  const bool several_nodes = largest_gpus > setup.cluster.gpus_per_node;
  switch (kind.fault) {
  case Fault::server:
    return is_parameter_server(setup.strategy.name) && largest_gpus > 1;
  case Fault::link:
  case Fault::host:
  case Fault::latency:
  case Fault::storage:
    return several_nodes;
  case Fault::inside:
    return setup.cluster.gpus_per_node > 1 && largest_gpus > 1;
  case Fault::gpu:
  case Fault::loader:
    break;
  }
  return true;
}

} // namespace

std::vector<FaultKind> possible_faults(const StepSetup& setup, int largest_gpus) {
  std::vector<FaultKind> possible;
  for (const auto& kind : all_faults)
    if (is_possible(kind, setup, largest_gpus)) possible.push_back(kind);
  return possible;
}

} // namespace ddlsim
