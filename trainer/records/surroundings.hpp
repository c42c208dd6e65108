#pragma once
// What a measurement ran in, for whoever doubts its numbers later: variables, cores, clocks, GPUs, the batch system,
// the way of messages, the machine.

#include "sim/formats/record.hpp"

#include <istream>
#include <string>
#include <vector>

namespace ddltrain {

using ddlsim::Facts;

/// Set where this process has NCCL write for it (NcclLog): then NCCL_DEBUG is no setting of the user's.
inline constexpr const char* own_nccl_log = "DDLTRAIN_NCCL_LOG";

/// The variables among `environment` (NAME=VALUE) that steer MPI, NCCL, UCX and OpenMP. What Open MPI's mpirun leaves
/// there for its own ranks, which changes from job to job, is no setting.
Facts steering_variables(const std::vector<std::string>& environment);

/// The settings of this process: steering_variables(), the kernel, the node's cores, NUMA nodes and highest clock, and
/// `cores_per_rank`, the cores that this process may run on, or "not bound" where those are all.
Facts settings_of_run();

/// What tells this node from others: its host's name, the clock of its first core now, its GPUs with UUID and clocks,
/// and where the batch system put the job. anonymous: without names, numbers of jobs and UUIDs.
Facts facts_of_node(bool anonymous);

/// Facts as one text, and back: to send them to another rank. Lines "name=value"; a value loses its line ends.
std::string text_of(const Facts& facts);
Facts facts_in(const std::string& text);

/// One GPU as NVIDIA's management library (NVML) sees it; clocks in MHz, 0 where it does not tell.
struct GpuFacts {
  std::string name;
  std::string uuid;
  unsigned clock_MHz = 0;
  unsigned highest_clock_MHz = 0;
  unsigned memory_clock_MHz = 0;
};

/// Every GPU of the node; none without NVML or a driver.
std::vector<GpuFacts> gpus_of_node();

/// The driver's name of CUDA's device number `device`; "" where nobody tells it.
std::string driver_name_of_gpu(int device);

/// Is the driver's "NVIDIA A100 80GB PCIe" what gpus.json calls "A100-PCIe-80GB"? Words of makers and series do not
/// count, nor does the order; memory and board must agree where both say them. A "Ti" or an "S" is another GPU.
bool is_same_gpu(const std::string& gpu, const std::string& driver_name);

/// Refuses records that would name the wrong device. Throws UserError for a `gpu` that a processor is to be recorded
/// as, and for one that is not what the driver says; a driver name of "" is not judged.
void check_gpu(const std::string& gpu, const std::string& device, const std::string& driver_name);

// How a job's messages travelled, and by which library, as far as anybody told.

/// The library's name in records, from what MPI_Get_library_version says: open-mpi, mpich, intel-mpi, cray-mpich,
/// mvapich; "unknown" for another.
std::string mpi_library_name(const std::string& version_text);

/// The transport's name in records, where the settings leave one only: shm, mpi-tcp, mpi-ib; else "unknown".
/// Of Open MPI, `settings` say it: on one node with "pml" ob1 and "btl" vader or sm, messages go through shared memory;
/// between nodes with ob1 and "btl" tcp they go over TCP; with UCX_TLS of one kind only, by that. Of other
/// libraries nothing is known; NCCL says it itself.
std::string known_transport(const std::string& library, int nodes, const ddlsim::Facts& settings);

/// The ways between GPUs that NCCL named in what it wrote (NCCL_DEBUG=INFO: "Channel 00/0 : 0[0] -> 1[1] [send] via
/// NET/IB/0/GDRDMA"), each once: "NET/IB P2P".
std::string nccl_connections(const std::string& log);

/// The transport's name in records, from nccl_ways of all ranks. Between nodes the network decides: nccl-ib, nccl-tcp
/// (sockets); on one node shm where every way is shared memory. "unknown" for a plugin's network, for peer-to-peer
/// copies, which records have no name for, and where nothing was written.
std::string nccl_transport(const std::vector<std::string>& connections_of_ranks);

// What the machine and its software say of themselves.

struct Machine {
  std::string processor; ///< "Intel(R) Xeon(R) ..."; "unknown processor" where the system does not say
  int cores = 0;         ///< of the machine, also those that this process is not bound to
  double memory_bytes = 0;
  std::string system; ///< kernel name and release
  std::string host;
};

Machine this_machine();

/// First "model name" in the text of /proc/cpuinfo; "unknown processor" without one.
std::string processor_name(std::istream& cpuinfo);

/// "Intel Xeon ..., 2 cores, 23.5 GiB, Linux 6.1": what nodes of one kind have in common, so without the host's name.
std::string machine_text(const Machine& machine);

/// Version of the NVIDIA driver that is loaded; "" without one.
std::string nvidia_driver_version();

/// Today in UTC, "2026-05-07".
std::string today();

/// Parts that are not empty, joined by ", ".
std::string join_parts(const std::vector<std::string>& parts);

} // namespace ddltrain
