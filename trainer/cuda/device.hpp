#pragma once

#include "sim/formats/names.hpp"
#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/timing/layer_timer.hpp"

#include <c10/core/DeviceType.h>

#include <memory>
#include <string>

namespace ddltrain {

/// Marks on the default stream of the current GPU, where LibTorch runs its work: events, which the GPU stamps.
std::unique_ptr<Marks> cuda_marks(std::shared_ptr<const CudaRuntime> cuda);

// Where LibTorch computes: the processor, or a GPU chosen at run time.

class CudaRuntime;
class Network;
struct Batch;

/// A device that LibTorch can compute on now.
struct Device {
  std::string name = "cpu"; ///< cpu, cuda
  std::string software;     ///< "LibTorch 1.13.1, 1 thread"; with CUDA its versions
  std::unique_ptr<Marks> marks;
  std::shared_ptr<const CudaRuntime> cuda; ///< none for the processor
  int gpu = 0;
};

/// Opens "cpu" with `threads` compute threads, or "cuda" with the GPU of a rank that is number `place` on its host.
/// Throws RunError saying precisely what "cuda" lacks here: a LibTorch with CUDA, the runtime library, a new enough
/// driver, a GPU that LibTorch has code for.
Device open_device(const std::string& name, int threads, int place = 0);

/// Throws what open_device would for the first rank of a host, without touching the device.
void check_device(const std::string& name);

/// The GPU of rank number `place` of a host that shows it `gpus`: in turn, since a launcher may show each rank its own
/// only. NCCL refuses two ranks on one GPU (rank_gpu.hpp).
int gpu_of(int place, int gpus);

/// Moves the network's tensors, and the batch's, to the device.
void move_to(const Device& device, Network& network);
void move_to(const Device& device, Batch& batch);

/// Throws RunError where the device has no such precision: a processor computes in fp32 only.
void check_precision(const Device& device, ddlsim::Precision precision);

/// Sets what of LibTorch's settings decides about speed and rounding on a GPU, for the whole process: TF32 only where
/// it was asked for (cuDNN takes it for fp32 otherwise), and whether cuDNN tries its algorithms in the first steps of each
/// shape and keeps the fastest (torch.backends.cudnn.benchmark). Returns them in words for a record's note, "" for a
/// processor, where they mean nothing.
std::string choose_math(const Device& device, ddlsim::Precision precision, bool cudnn_benchmark);

/// Steps that must not be counted on a device, at the fewest: cuDNN searches in them, and clocks rise.
int least_warm_up(const std::string& device);

/// Lets LibTorch choose half precision by operator while it lives (autocast): amp is fp16. fp32 and tf32 change
/// nothing. Casts of parameters are kept till its end. A processor's LibTorch knows bf16 only; commands refuse that
/// too.
class Autocast {
public:
  Autocast(const Device& device, ddlsim::Precision precision);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

private:
  at::DeviceType device_;
  bool on_ = false;
};

} // namespace ddltrain
