#pragma once
// What this machine says of itself, from what its tools print: `ddlsim new cluster --from-machine`.

#include "sim/formats/gpu.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// More GPUs than a machine has: a slip of what was read.
inline constexpr int most_gpus_of_machine = 1024;

/// A port that could carry training traffic.
struct MachinePort {
  std::string device;   ///< eth0, mlx5_0
  std::string kind;     ///< of network_kinds()
  double rate_Gbps = 0; ///< as the driver reports it
};

/// What was seen; "" and 0: not seen.
struct MachineFacts {
  std::string gpu; ///< of the catalogue, or as the driver calls it
  int gpus = 0;
  std::string links;                 ///< between most pairs of GPUs, in words of `nvidia-smi topo -m`: "NV18", "SYS"
  int pairs = 0;                     ///< of GPUs that topo shows, each way
  int nvlink_pairs = 0;              ///< those of them that NVLink joins
  bool other_kinds_of_links = false; ///< not all pairs are joined alike
  double nvlink_GBps = 0;            ///< all NVLinks of one GPU, one direction, as nvidia-smi nvlink says it
  int controllers = 0;               ///< 3D controllers on PCIe, by lstopo
  std::vector<std::string> adapters; ///< RDMA devices, by lstopo
  std::string cpu;
  int cores = 0; ///< that the operating system counts
  std::vector<MachinePort> ports;
  std::vector<std::string> unseen; ///< one sentence for each thing that could not be seen
};

/// What the tools printed; "" for one that is missing or failed.
struct MachineTexts {
  std::string nvidia_smi_list;   ///< nvidia-smi -L
  std::string nvidia_smi_topo;   ///< nvidia-smi topo -m
  std::string nvidia_smi_nvlink; ///< nvidia-smi nvlink -s
  std::string lscpu;
  std::string ibstat;
  std::string lstopo; ///< lstopo-no-graphics --of console
};

/// Reads those texts and the files below `sysfs` (/sys). Lines that are not understood are passed over: what is then
/// missing is unseen.
MachineFacts machine_facts(const MachineTexts& texts, const std::filesystem::path& sysfs,
                           const std::vector<Gpu>& catalogue);

/// How the GPUs of a node reach each other, as ClusterRequest has it: "nvswitch 360 GB/s 1 us" where NVLink's rate was
/// seen; "" where it was not, or where PCIe joins them, whose rate no tool says.
std::string links_of(const MachineFacts& facts);

/// "8x400 Gbps ib" for every kind and rate of the ports, the fastest first.
std::vector<std::string> networks_of(const MachineFacts& facts);

// For the tests: one tool each.

void read_gpu_list(const std::string& text, const std::vector<Gpu>& catalogue, MachineFacts& facts);
void read_gpu_topology(const std::string& text, MachineFacts& facts);
void read_nvlink_rates(const std::string& text, MachineFacts& facts);
void read_ibstat(const std::string& text, MachineFacts& facts);
void read_lstopo(const std::string& text, MachineFacts& facts);
void read_lscpu(const std::string& text, MachineFacts& facts);
void read_ports(const std::filesystem::path& sysfs, MachineFacts& facts);

} // namespace ddlsim
