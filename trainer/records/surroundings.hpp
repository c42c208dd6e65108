#pragma once
// The conditions of a measurement, which help to explain its times later: variables, cores, clocks, GPUs, the batch
// system, the transport, the machine.

#include "sim/formats/record.hpp"

#include <istream>
#include <string>
#include <vector>

namespace ddltrain {

using ddlsim::Facts;

/// Set in a process for which ddltrain made NCCL write its log (NcclLog): NCCL_DEBUG is then no setting of the user's.
inline constexpr const char* own_nccl_log = "DDLTRAIN_NCCL_LOG";

/// Returns the variables among `environment` (NAME=VALUE) that steer MPI, NCCL, UCX and OpenMP. Variables that Open
/// MPI's mpirun sets for its own ranks change from job to job and are left out.
Facts steering_variables(const std::vector<std::string>& environment);

/// Returns the settings of this process: steering_variables(); the kernel; the node's cores, NUMA nodes and highest
/// clock; and `cores_per_rank`, the cores that this process may run on, or "not bound" when it may run on all.
Facts settings_of_run();

/// Returns facts that differ from node to node: the host's name, the current clock of its first core, its GPUs with
/// UUID and clocks, and the batch system's placement of the job. anonymous: without names, job numbers and UUIDs.
Facts facts_of_node(bool anonymous);

/// Converts facts to one text, to send them to another rank, and back. The text has lines "name=value"; line ends
/// inside a value are dropped.
std::string text_of(const Facts& facts);
Facts facts_in(const std::string& text);

/// One GPU as NVIDIA's management library (NVML) reports it; clocks are in MHz, 0 where the library does not report
/// them.
struct GpuFacts {
  std::string name;
  std::string uuid;
  unsigned clock_MHz = 0;
  unsigned highest_clock_MHz = 0;
  unsigned memory_clock_MHz = 0;
};

/// Returns every GPU of the node; none without NVML or a driver.
std::vector<GpuFacts> gpus_of_node();

/// Returns the driver's name of CUDA's device number `device`; "" when it is unknown.
std::string driver_name_of_gpu(int device);

/// Returns whether the driver's name ("NVIDIA A100 80GB PCIe") and the name of gpus.json ("A100-PCIe-80GB") mean the
/// same GPU. Words of makers and series do not count, nor does the order; memory and board must agree where both names
/// give them. A "Ti" or an "S" is another GPU.
bool is_same_gpu(const std::string& gpu, const std::string& driver_name);

/// Refuses a measurement whose records would name the wrong device. Throws UserError for a `gpu` that is given for a
/// measurement on a processor, and for one that is not the driver's GPU; an empty driver name is not checked.
void check_gpu(const std::string& gpu, const std::string& device, const std::string& driver_name);

// The transport of a job's messages and the communication library, as far as they are known.

/// The library's name in records, from what MPI_Get_library_version says: open-mpi, mpich, intel-mpi, cray-mpich,
/// mvapich; "unknown" for another.
std::string mpi_library_name(const std::string& version_text);

/// Returns the transport's name in records when the settings leave only one: shm, mpi-tcp, mpi-ib; else "unknown". For
/// Open MPI the `settings` decide: on one node with "pml" ob1 and "btl" vader or sm, messages go through shared memory;
/// between nodes with ob1 and "btl" tcp they go over TCP; a UCX_TLS of one kind decides too. For other libraries the
/// transport is unknown; NCCL reports it itself.
std::string known_transport(const std::string& library, int nodes, const ddlsim::Facts& settings);

/// Returns the ways between GPUs that NCCL's log names (NCCL_DEBUG=INFO: "Channel 00/0 : 0[0] -> 1[1] [send] via
/// NET/IB/0/GDRDMA"), each once: "NET/IB P2P".
std::string nccl_connections(const std::string& log);

/// Returns the transport's name in records from nccl_ways of all ranks. Between nodes the network decides: nccl-ib,
/// nccl-tcp (sockets). On one node it is shm where every way is shared memory. It is "unknown" for a plugin's network,
/// for peer-to-peer copies (records have no name for them), and for an empty log.
std::string nccl_transport(const std::vector<std::string>& connections_of_ranks);

// The machine and its software.

struct Machine {
  std::string processor; ///< "Intel(R) Xeon(R) ..."; "unknown processor" where the system does not tell
  int cores = 0;         ///< cores of the machine, including those that this process is not bound to
  double memory_bytes = 0;
  std::string system; ///< kernel name and release
  std::string host;
};

Machine this_machine();

/// Returns the first "model name" in the text of /proc/cpuinfo; "unknown processor" without one.
std::string processor_name(std::istream& cpuinfo);

/// Returns "Intel Xeon ..., 2 cores, 23.5 GiB, Linux 6.1": the properties that nodes of one kind share, so without the
/// host's name.
std::string machine_text(const Machine& machine);

/// Returns the version of the loaded NVIDIA driver; "" without one.
std::string nvidia_driver_version();

/// Returns today's date in UTC, "2026-05-07".
std::string today();

/// Returns the parts that are not empty, joined by ", ".
std::string join_parts(const std::vector<std::string>& parts);

} // namespace ddltrain
