#pragma once
// Describes this machine from the output of its tools, for `ddlsim new cluster --from-machine`.

#include "sim/formats/gpu.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// Number of GPUs above which a text must have been misread; no machine has as many.
inline constexpr int most_gpus_of_machine = 1024;

/// A network port that could carry training traffic.
struct MachinePort {
  std::string device;   ///< name such as "eth0" or "mlx5_0"
  std::string kind;     ///< kind of the network, one of network_kinds()
  double rate_Gbps = 0; ///< rate that the driver reports
};

/// The facts that were found; "" and 0 mean not found.
struct MachineFacts {
  std::string gpu; ///< name in the catalogue, or else the driver's
  int gpus = 0;
  std::string links;    ///< link of most pairs of GPUs, in the words of `nvidia-smi topo -m`: "NV18", "SYS"
  int pairs = 0;        ///< number of pairs of GPUs in topo, counted in both directions
  int nvlink_pairs = 0; ///< number of those pairs that NVLink joins
  bool other_kinds_of_links = false; ///< whether pairs have different kinds of links
  double nvlink_GBps = 0;            ///< rate of all NVLinks of one GPU, one direction, by nvidia-smi nvlink
  int controllers = 0;               ///< number of 3D controllers on PCIe in lstopo
  std::vector<std::string> adapters; ///< names of RDMA devices in lstopo
  std::string cpu;
  int cores = 0; ///< number of cores as the operating system counts them
  std::vector<MachinePort> ports;
  std::vector<std::string> unseen; ///< a sentence for each fact that could not be found
};

/// The output of the tools; "" if one is missing or failed.
struct MachineTexts {
  std::string nvidia_smi_list;   ///< output of `nvidia-smi -L`
  std::string nvidia_smi_topo;   ///< output of `nvidia-smi topo -m`
  std::string nvidia_smi_nvlink; ///< output of `nvidia-smi nvlink -s`
  std::string lscpu;
  std::string ibstat;
  std::string lstopo; ///< output of `lstopo-no-graphics --of console`
};

/// Reads these texts and the files below `sysfs` (/sys). Lines that are not understood are skipped. Facts that are
/// missing then are listed as unseen.
MachineFacts machine_facts(const MachineTexts& texts, const std::filesystem::path& sysfs,
                           const std::vector<Gpu>& catalogue);

/// Returns the links between the GPUs of a node in the form of ClusterRequest, as in "nvswitch 360 GB/s 1 us". Returns
/// "" if NVLink's rate was not found, and for PCIe, whose rate no tool states.
std::string links_of(const MachineFacts& facts);

/// Returns the ports of every kind and rate, the fastest first, as in "8x400 Gbps ib".
std::vector<std::string> networks_of(const MachineFacts& facts);

// The readers of single tools, which are declared for the tests.

void read_gpu_list(const std::string& text, const std::vector<Gpu>& catalogue, MachineFacts& facts);
void read_gpu_topology(const std::string& text, MachineFacts& facts);
void read_nvlink_rates(const std::string& text, MachineFacts& facts);
void read_ibstat(const std::string& text, MachineFacts& facts);
void read_lstopo(const std::string& text, MachineFacts& facts);
void read_lscpu(const std::string& text, MachineFacts& facts);
void read_ports(const std::filesystem::path& sysfs, MachineFacts& facts);

} // namespace ddlsim
