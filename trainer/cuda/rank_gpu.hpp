#pragma once
// Which GPU each rank of a job has, as NCCL tells them apart.

#include <string>
#include <vector>

namespace ddltrain {

class CudaRuntime;

struct RankGpu {
  std::string host;    ///< its name
  std::string host_id; ///< this rank's NCCL_HOSTID, by which NCCL tells hosts apart in place of their names; "" without
  int gpu = 0;         ///< its number on this rank, which may see others than its host's other ranks
  std::string bus_id;  ///< the same for all ranks of a host
  bool shares = false; ///< NCCL_MULTI_RANK_GPU_ENABLE=1: NCCL is to take several ranks on a GPU
};

/// GPU number `gpu` of this rank, with the variables that this process has.
RankGpu own_rank_gpu(const CudaRuntime& cuda, int gpu);

/// To exchange it between ranks.
std::string text_of(const RankGpu& own);
RankGpu rank_gpu_in(const std::string& text);

/// Throws RunError saying which ranks have one GPU, where NCCL would refuse them for that ("invalid usage" is all it
/// says). gpus: by rank.
void check_rank_gpus(const std::vector<RankGpu>& gpus);
/// The same of text_of's.
void check_rank_gpus(const std::vector<std::string>& texts);

} // namespace ddltrain
