#include "trainer/cuda/device.hpp"

#include "trainer/cuda/cuda_marks.hpp"
#include "trainer/describe/libtorch_version.hpp"
#include "trainer/files/error.hpp"
#include "trainer/models/network.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <dlfcn.h>

namespace ddltrain {
namespace {

at::Device torch_device(const Device& device) {
  return at::Device(device.name == "cuda" ? at::kCUDA : at::kCPU);
}

/// LibTorch's own threads, and OpenBLAS's where that is what it multiplies with.
void use_threads(int threads) {
  at::set_num_threads(threads);
  using SetThreads = void (*)(int);
  if (auto* set = reinterpret_cast<SetThreads>(::dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) { // NOLINT
    set(threads);
  }
}

Device open_cpu(int threads) {
  use_threads(threads);
  Device device;
  device.software =
      fmt::format("LibTorch {}, {} compute thread{}", libtorch_version(), threads, threads == 1 ? "" : "s");
  device.marks = host_marks();
  return device;
}

std::shared_ptr<const CudaRuntime> usable_cuda() {
  auto cuda = std::make_shared<const CudaRuntime>();
  if (!at::hasCUDA()) {
    throw RunError(fmt::format("no GPU can be used: this LibTorch {} was built without CUDA; configure with "
                               "-DCMAKE_PREFIX_PATH=... of one that has it",
                               libtorch_version()));
  }
  return cuda;
}

Device open_cuda(int place) {
  Device device;
  device.name = "cuda";
  device.cuda = usable_cuda();
  device.gpu = gpu_of(place, device.cuda->devices());
  device.cuda->use_device(device.gpu);
  device.software = fmt::format("LibTorch {}, {}", libtorch_version(), device.cuda->versions());
  device.marks = cuda_marks(device.cuda);
  return device;
}

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
void set_gpu_autocast(bool on, at::ScalarType type) {
  at::autocast::set_autocast_dtype(at::kCUDA, type);
  at::autocast::set_autocast_enabled(at::kCUDA, on);
}
#else
void set_gpu_autocast(bool on, at::ScalarType type) {
  at::autocast::set_autocast_gpu_dtype(type);
  at::autocast::set_enabled(on);
}
#endif

} // namespace

void check_device(const std::string& name) {
  if (name == "cuda") usable_cuda();
  if (name != "cpu" && name != "cuda") throw UsageError("no device is called \"" + name + "\"; there are cpu and cuda");
}

Device open_device(const std::string& name, int threads, int place) {
  check_device(name);
  if (name == "cpu") return open_cpu(threads);
  use_threads(threads);
  return open_cuda(place);
}

int gpu_of(int place, int gpus) {
  return place % gpus;
}

void finish_work(const Device& device) {
  device.marks->clear();
  device.marks->mark();
  device.marks->settle();
}

void move_to(const Device& device, Network& network) {
  if (device.name != "cpu") network.to(torch_device(device));
}

void move_to(const Device& device, Batch& batch) {
  if (device.name == "cpu") return;
  for (at::Tensor& tensor : batch.inputs) tensor = tensor.to(torch_device(device));
  for (at::Tensor& tensor : batch.targets) tensor = tensor.to(torch_device(device));
}

Autocast::Autocast(const Device& device, const std::string& precision) : on_(precision != "fp32") {
  if (!on_) return;
  if (device.name != "cuda") throw RunError("precision " + precision + " needs a GPU (--device cuda)");
  set_gpu_autocast(true, precision == "bf16" ? at::kBFloat16 : at::kHalf);
}

Autocast::~Autocast() {
  if (!on_) return;
  at::autocast::clear_cache();
  set_gpu_autocast(false, at::kHalf);
}

} // namespace ddltrain
