#include "trainer/cuda/device.hpp"

#include "sim/base/error.hpp"
#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/describe/layer_table.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/run_error.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/autocast_mode.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <algorithm>
#include <dlfcn.h>
#include <vector>

namespace ddltrain {
namespace {

/// Marks by events, which are made once and used again in every step.
class CudaMarks final : public Marks {
public:
  explicit CudaMarks(std::shared_ptr<const CudaRuntime> cuda) : cuda_(std::move(cuda)) {}
  ~CudaMarks() override {
    for (const CudaRuntime::Event event : events_) cuda_->destroy_event(event);
  }

  void clear() override { used_ = 0; }

  std::size_t mark() override {
    if (used_ == events_.size()) events_.push_back(cuda_->create_event());
    cuda_->record(events_[used_], nullptr);
    return used_++;
  }

  void settle() override {
    if (used_ > 0) cuda_->finish_event(events_[used_ - 1]);
  }

  double between_s(std::size_t from, std::size_t to) const override {
    return cuda_->seconds_between(events_.at(from), events_.at(to));
  }

private:
  std::shared_ptr<const CudaRuntime> cuda_;
  std::vector<CudaRuntime::Event> events_;
  std::size_t used_ = 0;
};

} // namespace

std::unique_ptr<Marks> cuda_marks(std::shared_ptr<const CudaRuntime> cuda) {
  return std::make_unique<CudaMarks>(std::move(cuda));
}

namespace {

// Returns the device for LibTorch. With the fake GPU of the tests (tests/fake_cuda), whose memory is that of the host,
// LibTorch's tensors stay where they are and are yet in the "GPU's" memory, so that a LibTorch without CUDA is enough.
// Streams, events, copies and NCCL work as on a GPU. Records of such a process say that the GPU is fake (RecordFile).
at::DeviceType torch_device(const Device& device) {
  return device.name == "cuda" && !device.cuda->is_fake() ? at::kCUDA : at::kCPU;
}

/// Sets the number of threads of LibTorch, and of OpenBLAS where that multiplies.
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

/// Returns CUDA with a GPU on which LibTorch can compute.
std::shared_ptr<const CudaRuntime> usable_cuda() {
  auto cuda = std::make_shared<const CudaRuntime>();
  if (at::hasCUDA() || cuda->is_fake()) return cuda;
  // this LibTorch has a runtime of its own inside, or it would have found the same one
  if (at::globalContext().hasCUDART()) {
    const std::string own = cuda_version_text(static_cast<int>(at::globalContext().versionCUDART()));
    throw RunError(fmt::format("LibTorch {} finds no GPU with its CUDA {}, and the NVIDIA driver serves CUDA up to {}; "
                               "where that is older, install a newer driver or a LibTorch for it",
                               libtorch_version(), own, cuda_version_text(cuda->driver_version())));
  }
  throw RunError(fmt::format("no GPU can be used: this LibTorch {} was built without CUDA; configure with "
                             "-DCMAKE_PREFIX_PATH=... of one that has it",
                             libtorch_version()));
}

Device open_cuda(int place) {
  Device device;
  device.name = "cuda";
  device.cuda = usable_cuda();
  device.gpu = gpu_of(place, device.cuda->devices());
  check_capability(*device.cuda, device.gpu, at::show_config());
  device.cuda->use_device(device.gpu);
  device.software = fmt::format("LibTorch {}, {}", libtorch_version(), device.cuda->versions());
  device.marks = cuda_marks(device.cuda);
  return device;
}

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
void set_autocast(at::DeviceType device, bool on, at::ScalarType type) {
  if (on) at::autocast::set_autocast_dtype(device, type);
  at::autocast::set_autocast_enabled(device, on);
}
#else
void set_autocast(at::DeviceType device, bool on, at::ScalarType type) {
  if (device == at::kCPU) {
    if (on) at::autocast::set_autocast_cpu_dtype(type);
    at::autocast::set_cpu_enabled(on);
  } else {
    if (on) at::autocast::set_autocast_gpu_dtype(type);
    at::autocast::set_enabled(on);
  }
}
#endif

} // namespace

void check_device(const std::string& name) {
  if (name == "cuda") check_capability(*usable_cuda(), gpu_of(0, 1), at::show_config());
  if (name != "cpu" && name != "cuda")
    throw ddlsim::UserError("", "", "no device is called \"" + name + "\"; there are cpu and cuda");
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

void move_to(const Device& device, Network& network) {
  if (device.name != "cpu") network.to(torch_device(device));
}

void move_to(const Device& device, Batch& batch) {
  if (device.name == "cpu") return;
  for (at::Tensor& tensor : batch.inputs) tensor = tensor.to(torch_device(device));
  for (at::Tensor& tensor : batch.targets) tensor = tensor.to(torch_device(device));
}

void check_precision(const Device& device, ddlsim::Precision precision) {
  if (precision == ddlsim::Precision::fp16) {
    throw ddlsim::UserError("", "",
                            "nothing trains in fp16 alone; use --precision amp, fp16 with fp32 where it is needed");
  }
  if (precision == ddlsim::Precision::amp && device.cuda && device.cuda->is_fake()) {
    throw RunError("the fake GPU has no fp16; use --precision bf16 or fp32");
  }
  if (device.name == "cuda" || precision == ddlsim::Precision::fp32) return;
  throw RunError("precision " + ddlsim::to_text(precision) + " needs a GPU (--device cuda)");
}

std::string choose_math(const Device& device, ddlsim::Precision precision, bool cudnn_benchmark) {
  const bool tf32 = precision == ddlsim::Precision::tf32;
  at::Context& context = at::globalContext();
  context.setAllowTF32CuDNN(tf32);
  context.setAllowTF32CuBLAS(tf32);
  context.setBenchmarkCuDNN(cudnn_benchmark);
  if (device.name != "cuda") return "";
  return fmt::format("TF32 {}, cuDNN benchmark {}", tf32 ? "on" : "off", cudnn_benchmark ? "on" : "off");
}

int least_warm_up(const std::string& device) {
  constexpr int on_gpu = 10;
  return device == "cuda" ? on_gpu : 0;
}

Autocast::Autocast(const Device& device, ddlsim::Precision precision)
    : device_(torch_device(device)), on_(ddlsim::has_16_bit_values(precision)) {
  if (on_) set_autocast(device_, true, precision == ddlsim::Precision::bf16 ? at::kBFloat16 : at::kHalf);
}

Autocast::~Autocast() {
  if (!on_) return;
  at::autocast::clear_cache();
  set_autocast(device_, false, at::kHalf);
}

} // namespace ddltrain
