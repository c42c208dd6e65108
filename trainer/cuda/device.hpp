#pragma once
// Where LibTorch computes: the processor, or a GPU chosen at run time.

#include "trainer/timing/marks.hpp"

#include <memory>
#include <string>

namespace ddltrain {

class Network;
struct Batch;

/// A device that LibTorch can compute on now.
struct Device {
  std::string name = "cpu"; ///< cpu, cuda
  std::string software;     ///< "LibTorch 1.13.1, 1 thread"; with CUDA its versions
  std::unique_ptr<Marks> marks;
};

/// Opens "cpu" with `threads` compute threads, or "cuda" with the GPU of number `gpu`. Throws RunError saying precisely
/// what "cuda" lacks here: a LibTorch with CUDA, the runtime library, a new enough driver, a GPU.
Device open_device(const std::string& name, int threads, int gpu = 0);

/// Moves the network's tensors, and the batch's, to the device.
void move_to(const Device& device, Network& network);
void move_to(const Device& device, Batch& batch);

/// Lets LibTorch choose half precision by operator while it lives (autocast): "amp" is fp16, "bf16". "fp32" changes
/// nothing. Throws RunError for half precision on a processor.
class Autocast {
public:
  Autocast(const Device& device, const std::string& precision);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

private:
  bool on_ = false;
};

} // namespace ddltrain
