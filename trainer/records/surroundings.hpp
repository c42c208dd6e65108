#pragma once
// What a measurement ran in, for whoever doubts its numbers later: variables, cores, clocks, GPUs, the batch system.

#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddltrain {

using ddlsim::Facts;

/// Set where this process has NCCL write for it (NcclLog): then NCCL_DEBUG is no setting of the user's.
inline constexpr const char* kOwnNcclLog = "DDLTRAIN_NCCL_LOG";

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

/// Every GPU of the node; none without NVML or a driver. Has not run on a GPU yet.
std::vector<GpuFacts> gpus_of_node();

/// The driver's name of CUDA's device number `device`; "" where nobody tells it.
std::string driver_name_of_gpu(int device);

/// Is the driver's "NVIDIA A100 80GB PCIe" what gpus.json calls "A100-PCIe-80GB"? Words of makers and series do not
/// count, nor does the order; memory and board must agree where both say them. A "Ti" or an "S" is another GPU.
bool is_same_gpu(const std::string& gpu, const std::string& driver_name);

/// Refuses records that would name the wrong device. Throws UserError for a `gpu` that a processor is to be recorded
/// as, and for one that is not what the driver says; a driver name of "" is not judged.
void check_gpu(const std::string& gpu, const std::string& device, const std::string& driver_name);

} // namespace ddltrain
