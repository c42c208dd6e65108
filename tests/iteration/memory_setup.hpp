#pragma once
// A run whose peak memory is asked for, by names of shipped files.

#include "sim/formats/data_folder.hpp"
#include "sim/iteration/step.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace ddlsim {

/// Owns what a StepSetup refers to.
struct MemoryRun {
  Model model;
  Gpu gpu;
  Cluster cluster{};
  Preset preset;
  Strategy strategy{};
  Precision precision = Precision::bf16;
  double batch_per_gpu = 1;
  int gpus = 1;
  int gpus_per_node = 8;
  double wire_bytes_per_parameter = 4;
  std::optional<CrossEntropy> cross_entropy{};

  StepSetup setup() const {
    StepSetup made{model, gpu, cluster, preset, {"nccl-ib", "nic"}, strategy};
    made.precision = precision;
    made.batch_per_gpu = batch_per_gpu;
    made.gpus = gpus;
    made.gpus_per_node = std::min(gpus, gpus_per_node);
    made.cross_entropy = cross_entropy;
    made.wire_bytes_per_parameter = wire_bytes_per_parameter;
    return made;
  }
};

inline const DataFolder& shipped_memory_data() {
  static const DataFolder shipped{DDLSIM_SOURCE_DIR};
  return shipped;
}

inline MemoryRun memory_run(const std::string& model, const std::string& gpu, const std::string& preset) {
  const auto& shipped = shipped_memory_data();
  return {
      load_model(shipped, model), find_gpu(load_gpus(shipped), gpu), {}, find_preset(load_presets(shipped), preset)};
}

} // namespace ddlsim
