#pragma once
// What the benchmarks share: a machine, a model, and peak memory.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/model.hpp"
#include "sim/network/machine.hpp"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <vector>

namespace ddlsim {

/// 8 GPUs a node on NVLink, one 100 Gbit/s NIC a node.
inline Machine machine_of(int ranks) {
  Machine machine;
  machine.ranks = ranks;
  machine.ranks_per_node = 8;
  machine.intra_Bps = 100e9;
  machine.intra_latency_s = 1e-6;
  machine.nic_Bps = 10e9;
  machine.net_latency_s = 5e-6;
  return machine;
}

inline std::vector<double> resnet50_tensor_bytes() {
  std::vector<double> tensor_bytes;
  for (const Layer& layer : read_model(DataFolder{DDLSIM_SOURCE_DIR}.models() / "resnet50_v1.json").layers) {
    for (const auto& tensor : layer.tensors) tensor_bytes.push_back(tensor.size_bytes);
  }
  return tensor_bytes;
}

// Peak memory as a counter of a benchmark.

/// The most that this process or one of its children has held so far; of one row alone when the program runs that row
/// alone (tests/bench/speed_table.py does).
inline void count_memory(benchmark::State& state) {
  constexpr double kib_per_mb = 1e6 / 1024;
  rusage own{};
  rusage children{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &children);
  state.counters["peak_MB"] = static_cast<double>(std::max(own.ru_maxrss, children.ru_maxrss)) / kib_per_mb;
}

} // namespace ddlsim
