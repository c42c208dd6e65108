#pragma once
// Describes this machine from the output of its tools, for `ddlsim new cluster --from-machine`.

#include "sim/formats/gpu.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// More GPUs than any machine has: the text was misread.
inline constexpr int most_gpus_of_machine = 1024;

/// A port that could carry training traffic.
struct MachinePort {
  std::string device;   ///< eth0, mlx5_0
  std::string kind;     ///< one of network_kinds()
  double rate_Gbps = 0; ///< as the driver reports it
};

/// The facts found; "" and 0: not found.
struct MachineFacts {
  std::string gpu; ///< the catalogue's name, or the driver's
  int gpus = 0;
  std::string links;                 ///< of most pairs of GPUs, in the words of `nvidia-smi topo -m`: "NV18", "SYS"
  int pairs = 0;                     ///< of GPUs in topo, counted in both directions
  int nvlink_pairs = 0;              ///< those joined by NVLink
  bool other_kinds_of_links = false; ///< pairs have different kinds of links
  double nvlink_GBps = 0;            ///< all NVLinks of one GPU, one direction, by nvidia-smi nvlink
  int controllers = 0;               ///< 3D controllers on PCIe in lstopo
  std::vector<std::string> adapters; ///< RDMA devices in lstopo
  std::string cpu;
  int cores = 0; ///< as the operating system counts them
  std::vector<MachinePort> ports;
  std::vector<std::string> unseen; ///< one sentence for each fact that could not be found
};

/// The output of the tools; "" if one is missing or failed.
struct MachineTexts {
  std::string nvidia_smi_list;   ///< nvidia-smi -L
  std::string nvidia_smi_topo;   ///< nvidia-smi topo -m
  std::string nvidia_smi_nvlink; ///< nvidia-smi nvlink -s
  std::string lscpu;
  std::string ibstat;
  std::string lstopo; ///< lstopo-no-graphics --of console
};

/// Reads those texts and the files below `sysfs` (/sys). Lines that are not understood are skipped; facts that are
/// missing then are listed as unseen.
MachineFacts machine_facts(const MachineTexts& texts, const std::filesystem::path& sysfs,
                           const std::vector<Gpu>& catalogue);

/// The links between the GPUs of a node in the form of ClusterRequest: "nvswitch 360 GB/s 1 us" if NVLink's rate was
/// found; "" if it was not, or for PCIe, whose rate no tool states.
std::string links_of(const MachineFacts& facts);

/// The ports of every kind and rate, the fastest first: "8x400 Gbps ib".
std::vector<std::string> networks_of(const MachineFacts& facts);

// Readers of one tool each, declared for the tests.

void read_gpu_list(const std::string& text, const std::vector<Gpu>& catalogue, MachineFacts& facts);
void read_gpu_topology(const std::string& text, MachineFacts& facts);
void read_nvlink_rates(const std::string& text, MachineFacts& facts);
void read_ibstat(const std::string& text, MachineFacts& facts);
void read_lstopo(const std::string& text, MachineFacts& facts);
void read_lscpu(const std::string& text, MachineFacts& facts);
void read_ports(const std::filesystem::path& sysfs, MachineFacts& facts);

} // namespace ddlsim
