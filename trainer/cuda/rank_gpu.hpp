#pragma once
// The GPU of each rank of a job, as NCCL distinguishes GPUs.

#include <string>
#include <vector>

namespace ddltrain {

class CudaRuntime;

struct RankGpu {
  std::string host; ///< name of the host
  /// this rank's NCCL_HOSTID, by which NCCL distinguishes hosts in place of their names; "": not set
  std::string host_id;
  int gpu = 0;         ///< number of the GPU on this rank, which may see other GPUs than its host's other ranks
  std::string bus_id;  ///< PCI bus of the GPU, in the same form for all ranks of a host
  bool shares = false; ///< whether NCCL is to accept several ranks on a GPU (NCCL_MULTI_RANK_GPU_ENABLE=1)
};

/// Returns GPU number `gpu` of this rank, with the variables of this process.
RankGpu own_rank_gpu(const CudaRuntime& cuda, int gpu);

/// Converts it to text, which ranks exchange.
std::string text_of(const RankGpu& own);
RankGpu rank_gpu_in(const std::string& text);

/// Throws RunError that says which ranks have the same GPU, where NCCL would refuse them ("invalid usage" is all that
/// it says). `gpus` is by rank.
void check_rank_gpus(const std::vector<RankGpu>& gpus);
/// Does the same for texts of text_of().
void check_rank_gpus(const std::vector<std::string>& texts);

} // namespace ddltrain
