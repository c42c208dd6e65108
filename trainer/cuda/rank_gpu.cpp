#include "trainer/cuda/rank_gpu.hpp"

#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/records/surroundings.hpp"
#include "trainer/run_error.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <sstream>

namespace ddltrain {
namespace {

std::string variable_or_empty(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Returns a list as text: "0", "0 and 1", "0, 1 and 2".
std::string list_of(const std::vector<std::size_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const bool last = i + 1 == ranks.size();
    text += fmt::format("{}{}", i == 0 ? "" : last ? " and " : ", ", ranks[i]);
  }
  return text;
}

/// Returns the host on which NCCL takes a rank to be: by the host's identifier where one is set.
std::string host_for_nccl(const RankGpu& rank) {
  return rank.host_id.empty() ? "name " + rank.host : "id " + rank.host_id;
}

} // namespace

RankGpu own_rank_gpu(const CudaRuntime& cuda, int gpu) {
  return {this_machine().host, variable_or_empty("NCCL_HOSTID"), gpu, cuda.bus_id(gpu),
          variable_or_empty("NCCL_MULTI_RANK_GPU_ENABLE") == "1"};
}

std::string text_of(const RankGpu& own) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n", own.host, own.host_id, own.gpu, own.bus_id, own.shares ? 1 : 0);
}

RankGpu rank_gpu_in(const std::string& text) {
  std::istringstream lines(text);
  RankGpu found;
  std::string gpu;
  std::string shares;
  std::getline(lines, found.host);
  std::getline(lines, found.host_id);
  std::getline(lines, gpu);
  std::getline(lines, found.bus_id);
  std::getline(lines, shares);
  found.gpu = std::stoi(gpu);
  found.shares = shares == "1";
  return found;
}

void check_rank_gpus(const std::vector<RankGpu>& gpus) {
  std::map<std::string, std::map<std::string, std::vector<std::size_t>>> ranks_of; ///< ranks by host and GPU
  bool allowed = true;
  for (std::size_t rank = 0; rank < gpus.size(); ++rank) {
    ranks_of[host_for_nccl(gpus[rank])][gpus[rank].bus_id].push_back(rank);
    allowed = allowed && gpus[rank].shares;
  }
  if (allowed) return; // a newer NCCL allows this; an older one states what it requires
  for (const auto& [host, by_gpu] : ranks_of) {
    std::string shared;
    std::string name;
    for (const auto& [bus_id, ranks] : by_gpu) {
      if (ranks.size() < 2) continue;
      const RankGpu& first = gpus[ranks.front()];
      name = first.host;
      shared +=
          fmt::format("{}ranks {} share GPU {} ({})", shared.empty() ? "" : ", ", list_of(ranks), first.gpu, bus_id);
    }
    if (shared.empty()) continue;
    throw RunError(fmt::format("{} of host {}, and NCCL takes one rank a GPU; start at most as many ranks on a host as "
                               "it has GPUs. For trials only: with NCCL_MULTI_RANK_GPU_ENABLE=1 and a different "
                               "NCCL_HOSTID for each rank NCCL takes them for ranks of different hosts, and sends "
                               "through sockets",
                               shared, name));
  }
}

void check_rank_gpus(const std::vector<std::string>& texts) {
  std::vector<RankGpu> gpus;
  for (const std::string& text : texts) gpus.push_back(rank_gpu_in(text));
  check_rank_gpus(gpus);
}

} // namespace ddltrain
