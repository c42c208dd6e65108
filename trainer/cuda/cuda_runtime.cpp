#include "trainer/cuda/cuda_runtime.hpp"

#include "trainer/run_error.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <dlfcn.h>

namespace ddltrain {
DynamicLibrary::DynamicLibrary(const std::vector<std::string>& names) {
  for (const std::string& name : names) { // if LibTorch has loaded one, it must be used
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle_ != nullptr) {
      name_ = name;
      return;
    }
  }
  std::string causes;
  for (const std::string& name : names) {
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      name_ = name;
      return;
    }
    causes += (causes.empty() ? "" : "; ") + std::string(::dlerror());
  }
  throw RunError(causes);
}

void* DynamicLibrary::address_of(const char* name) const {
  void* const address = ::dlsym(handle_, name);
  if (address == nullptr) throw RunError(name_ + " has no " + name + "; a newer one is needed");
  return address;
}

bool DynamicLibrary::has(const char* name) const {
  return ::dlsym(handle_, name) != nullptr;
}

struct CudaRuntime::Functions {
  DynamicLibrary library;
  const char* (*error_string)(CudaStatus) = nullptr;
  CudaStatus (*device_count)(int*) = nullptr;
  CudaStatus (*set_device)(int) = nullptr;
  CudaStatus (*device_attribute)(int*, int, int) = nullptr;
  CudaStatus (*device_bus_id)(char*, int, int) = nullptr;
  CudaStatus (*runtime_version)(int*) = nullptr;
  CudaStatus (*driver_version)(int*) = nullptr;
  CudaStatus (*malloc)(void**, std::size_t) = nullptr;
  CudaStatus (*free)(void*) = nullptr;
  CudaStatus (*malloc_host)(void**, std::size_t) = nullptr;
  CudaStatus (*free_host)(void*) = nullptr;
  CudaStatus (*copy)(void*, const void*, std::size_t, int) = nullptr;
  CudaStatus (*copy_async)(void*, const void*, std::size_t, int, Stream) = nullptr;
  CudaStatus (*stream_create)(Stream*, unsigned) = nullptr;
  CudaStatus (*stream_destroy)(Stream) = nullptr;
  CudaStatus (*stream_synchronize)(Stream) = nullptr;
  CudaStatus (*stream_wait_event)(Stream, Event, unsigned) = nullptr;
  CudaStatus (*event_create)(Event*) = nullptr;
  CudaStatus (*event_destroy)(Event) = nullptr;
  CudaStatus (*event_record)(Event, Stream) = nullptr;
  CudaStatus (*event_synchronize)(Event) = nullptr;
  CudaStatus (*event_elapsed)(float*, Event, Event) = nullptr;

  explicit Functions(const std::vector<std::string>& names) : library(names) {
    library.find(error_string, "cudaGetErrorString");
    library.find(device_count, "cudaGetDeviceCount");
    library.find(set_device, "cudaSetDevice");
    library.find(device_attribute, "cudaDeviceGetAttribute");
    library.find(device_bus_id, "cudaDeviceGetPCIBusId");
    library.find(runtime_version, "cudaRuntimeGetVersion");
    library.find(driver_version, "cudaDriverGetVersion");
    library.find(malloc, "cudaMalloc");
    library.find(free, "cudaFree");
    library.find(malloc_host, "cudaMallocHost");
    library.find(free_host, "cudaFreeHost");
    library.find(copy, "cudaMemcpy");
    library.find(copy_async, "cudaMemcpyAsync");
    library.find(stream_create, "cudaStreamCreateWithFlags");
    library.find(stream_destroy, "cudaStreamDestroy");
    library.find(stream_synchronize, "cudaStreamSynchronize");
    library.find(stream_wait_event, "cudaStreamWaitEvent");
    library.find(event_create, "cudaEventCreate");
    library.find(event_destroy, "cudaEventDestroy");
    library.find(event_record, "cudaEventRecord");
    library.find(event_synchronize, "cudaEventSynchronize");
    library.find(event_elapsed, "cudaEventElapsedTime");
  }

  void check(CudaStatus status, const char* call) const {
    if (status != cuda_success) {
      throw RunError(fmt::format("{} failed: {}", call, error_string(status)));
    }
  }
};

namespace {

// Names of the library since CUDA 11, the newest first.
const std::vector<std::string> runtime_names = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0",
                                                "libcudart.so"};

constexpr const char* fake_function = "ddltrain_fake_cuda"; ///< a function that no CUDA runtime has
std::atomic<bool> fake_was_opened = false;

} // namespace

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

CudaRuntime::CudaRuntime() {
  try {
    functions_ = std::make_unique<Functions>(runtime_names);
  } catch (const RunError& error) {
    throw RunError(std::string("no GPU can be used: the CUDA runtime is missing (") + error.what() + ")");
  }
  if (is_fake()) fake_was_opened = true;
  int count = 0;
  const CudaStatus status = functions_->device_count(&count);
  if (status != cuda_success) refuse(status);
  if (count == 0) throw RunError("no GPU can be used: the driver is there, but no device");
}

CudaRuntime::~CudaRuntime() = default;

/// Throws the runtime's message, which for a missing driver is that for one that is too old.
void CudaRuntime::refuse(CudaStatus status) const {
  if (status == cuda_insufficient_driver && driver_version() == 0) {
    throw RunError("no GPU can be used: no NVIDIA driver is loaded; `nvidia-smi` tells more");
  }
  const std::string& library = functions_->library.name();
  if (status == cuda_insufficient_driver) {
    const std::string own = cuda_version_text(version());
    const std::string served = cuda_version_text(driver_version());
    throw RunError(fmt::format("the NVIDIA driver is too old: it serves CUDA up to {}, and {} is of CUDA {}; install a "
                               "driver for CUDA {} or later, or a LibTorch and an NCCL for CUDA {} or earlier",
                               served, library, own, own, served));
  }
  throw RunError(fmt::format("no GPU can be used: {} found no device: {}", library, functions_->error_string(status)));
}

int CudaRuntime::devices() const {
  int count = 0;
  functions_->check(functions_->device_count(&count), "cudaGetDeviceCount");
  return count;
}

void CudaRuntime::use_device(int device) const {
  functions_->check(functions_->set_device(device), "cudaSetDevice");
}

Capability CudaRuntime::capability(int device) const {
  Capability found;
  functions_->check(functions_->device_attribute(&found.major, cuda_capability_major, device),
                    "cudaDeviceGetAttribute");
  functions_->check(functions_->device_attribute(&found.minor, cuda_capability_minor, device),
                    "cudaDeviceGetAttribute");
  return found;
}

std::string CudaRuntime::bus_id(int device) const {
  std::array<char, 32> text{}; // cuda_runtime_api.h says that 13 are enough
  functions_->check(functions_->device_bus_id(text.data(), static_cast<int>(text.size()), device),
                    "cudaDeviceGetPCIBusId");
  return text.data();
}

int CudaRuntime::version() const {
  int version = 0;
  functions_->check(functions_->runtime_version(&version), "cudaRuntimeGetVersion");
  return version;
}

int CudaRuntime::driver_version() const {
  int version = 0;
  functions_->check(functions_->driver_version(&version), "cudaDriverGetVersion");
  return version;
}

std::string CudaRuntime::versions() const {
  return fmt::format("{}CUDA {}, driver for CUDA {}", is_fake() ? "fake GPU, " : "", cuda_version_text(version()),
                     cuda_version_text(driver_version()));
}

bool CudaRuntime::is_fake() const {
  return functions_->library.has(fake_function);
}

bool fake_gpu_was_opened() {
  return fake_was_opened;
}

void* CudaRuntime::allocate(std::size_t bytes) const {
  void* memory = nullptr;
  functions_->check(functions_->malloc(&memory, bytes), "cudaMalloc");
  return memory;
}

void CudaRuntime::free(void* memory) const {
  functions_->free(memory);
}

void* CudaRuntime::allocate_host(std::size_t bytes) const {
  void* memory = nullptr;
  functions_->check(functions_->malloc_host(&memory, bytes), "cudaMallocHost");
  return memory;
}

void CudaRuntime::free_host(void* memory) const {
  functions_->free_host(memory);
}

void CudaRuntime::copy_to_device(void* to, const void* from, std::size_t bytes) const {
  functions_->check(functions_->copy(to, from, bytes, cuda_host_to_device), "cudaMemcpy");
  finish(nullptr); // from pageable memory the call returns when the bytes have left it
}

void CudaRuntime::start_copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream) const {
  functions_->check(functions_->copy_async(to, from, bytes, cuda_device_to_host, stream), "cudaMemcpyAsync");
}

CudaRuntime::Stream CudaRuntime::create_stream() const {
  Stream stream = nullptr;
  functions_->check(functions_->stream_create(&stream, cuda_stream_non_blocking), "cudaStreamCreateWithFlags");
  return stream;
}

void CudaRuntime::destroy_stream(Stream stream) const {
  functions_->stream_destroy(stream);
}

void CudaRuntime::finish(Stream stream) const {
  functions_->check(functions_->stream_synchronize(stream), "cudaStreamSynchronize");
}

void CudaRuntime::wait_for(Stream stream, Event event) const {
  constexpr unsigned usual = 0;
  functions_->check(functions_->stream_wait_event(stream, event, usual), "cudaStreamWaitEvent");
}

CudaRuntime::Event CudaRuntime::create_event() const {
  Event event = nullptr;
  functions_->check(functions_->event_create(&event), "cudaEventCreate");
  return event;
}

void CudaRuntime::destroy_event(Event event) const {
  functions_->event_destroy(event);
}

void CudaRuntime::record(Event event, Stream stream) const {
  functions_->check(functions_->event_record(event, stream), "cudaEventRecord");
}

void CudaRuntime::finish_event(Event event) const {
  functions_->check(functions_->event_synchronize(event), "cudaEventSynchronize");
}

double CudaRuntime::seconds_between(Event from, Event to) const {
  constexpr double millisecond = 1e-3;
  float elapsed_ms = 0;
  functions_->check(functions_->event_elapsed(&elapsed_ms, from, to), "cudaEventElapsedTime");
  return millisecond * static_cast<double>(elapsed_ms);
}

} // namespace ddltrain
