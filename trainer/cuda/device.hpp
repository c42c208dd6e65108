#pragma once

#include "sim/formats/names.hpp"
#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/timing/layer_timer.hpp"

#include <c10/core/DeviceType.h>

#include <memory>
#include <string>

namespace ddltrain {

/// Makes marks on the default stream of the current GPU, where LibTorch runs its work. They are events, to which the
/// GPU gives the time.
std::unique_ptr<Marks> cuda_marks(std::shared_ptr<const CudaRuntime> cuda);

// The device on which LibTorch computes: the processor, or a GPU that is chosen at run time.

class CudaRuntime;
class Network;
struct Batch;

/// A device on which LibTorch can compute now.
struct Device {
  std::string name = "cpu"; ///< "cpu" or "cuda"
  std::string software;     ///< text such as "LibTorch 1.13.1, 1 thread"; with CUDA its versions
  std::unique_ptr<Marks> marks;
  std::shared_ptr<const CudaRuntime> cuda; ///< null for the processor
  int gpu = 0;
};

/// Opens "cpu" with `threads` compute threads, or "cuda" with the GPU of a rank that is number `place` on its host.
/// Throws RunError that says what "cuda" lacks here: a LibTorch with CUDA, the runtime library, a new enough driver, or
/// a GPU for which LibTorch has code.
Device open_device(const std::string& name, int threads, int place = 0);

/// Throws what open_device() would throw for the first rank of a host, without using the device.
void check_device(const std::string& name);

/// Returns the GPU of rank number `place` of a host that shows it `gpus` GPUs. Ranks take them in turn, because a
/// launcher may show each rank only its own. NCCL refuses two ranks on one GPU (rank_gpu.hpp).
int gpu_of(int place, int gpus);

/// Moves the tensors of the network, or of the batch, to the device.
void move_to(const Device& device, Network& network);
void move_to(const Device& device, Batch& batch);

/// Throws RunError where the device does not have the precision. A processor computes in fp32 only.
void check_precision(const Device& device, ddlsim::Precision precision);

/// Sets those of LibTorch's settings that decide about speed and rounding on a GPU, for the whole process: TF32 only
/// where it was asked for (cuDNN otherwise uses it for fp32), and whether cuDNN tries its algorithms in the first steps
/// of each shape and keeps the fastest (torch.backends.cudnn.benchmark). Returns them as text for a record's note; ""
/// for a processor, where they mean nothing.
std::string choose_math(const Device& device, ddlsim::Precision precision, bool cudnn_benchmark);

/// Returns the smallest number of steps that must not be counted on a device, because cuDNN searches in them and clocks
/// rise.
int least_warm_up(const std::string& device);

/// Lets LibTorch choose 16 bits by operator while the object lives (autocast); amp is fp16. fp32 and tf32 change
/// nothing. Casts of parameters are kept until its end. LibTorch on a processor has bf16 only, which commands refuse
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
