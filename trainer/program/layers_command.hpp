#pragma once
#include "trainer/timing/measure_options.hpp"

#include <cstdint>

namespace ddltrain {

struct LayersOptions {
  std::string model;
  std::vector<std::int64_t> batches = {1, 8, 32};
  std::string precision = "fp32"; ///< fp32, amp, bf16
  std::string device = "cpu";     ///< cpu, cuda
  int threads = 1;
  MeasureOptions measure;
};

/// `ddltrain layers MODEL`: times of each layer's forward and backward pass and of the whole step, at each batch, as
/// records; a line a batch on standard error says how far the layers explain the step.
void layers_command(const LayersOptions& options);

} // namespace ddltrain
