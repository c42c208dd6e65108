#pragma once
// The machine and the model of the benchmarks.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/model.hpp"
#include "sim/network/machine.hpp"

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

} // namespace ddlsim
