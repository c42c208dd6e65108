#pragma once
// What of CUDA's and NCCL's binary interfaces this program uses, written down so that it builds without their headers
// and finds the libraries at run time. The tests hold it to the headers where there are any.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ddltrain {

// cuda_runtime_api.h and driver_types.h, CUDA 11 to 13.
using CudaStatus = int;
inline constexpr CudaStatus cuda_success = 0;
inline constexpr CudaStatus cuda_insufficient_driver = 35;
inline constexpr int cuda_capability_major = 75; ///< of cudaDeviceGetAttribute, as the next
inline constexpr int cuda_capability_minor = 76;
inline constexpr int cuda_host_to_device = 1;
inline constexpr int cuda_device_to_host = 2;
inline constexpr unsigned cuda_stream_non_blocking = 1;

// nccl.h, NCCL 2.
using NcclStatus = int;
using NcclCommunicatorHandle = void*;
inline constexpr NcclStatus nccl_success = 0;
inline constexpr NcclStatus nccl_in_progress = 7; ///< of a communicator that does not block; no failure
inline constexpr int nccl_float = 7;
inline constexpr int nccl_sum = 0;
inline constexpr std::size_t nccl_id_bytes = 128;
struct NcclId {
  char bytes[nccl_id_bytes];
};

/// A shared library that this program can do without, opened when it is asked for. Stays open as long as the program.
class DynamicLibrary {
public:
  /// Opens the first of `names` there is. Throws RunError with the loader's words about each when there is none.
  explicit DynamicLibrary(const std::vector<std::string>& names);

  /// The function of that name, as `Function`. Throws RunError when the library is too old to have it.
  template <class Function> void find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(address_of(name)); // NOLINT: what dlsym is for
  }
  /// Is there a function of that name?
  bool has(const char* name) const;
  const std::string& name() const { return name_; }

private:
  void* address_of(const char* name) const;

  void* handle_ = nullptr;
  std::string name_;
};

// The few functions of NVIDIA's CUDA runtime that training and measuring need, from a library opened at run time: one
// program serves machines with and without a GPU.

/// A GPU's generation as NVIDIA counts it: 9.0 is Hopper's.
struct Capability {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Capability&) const = default;
};

/// "12.2" of 12020.
std::string cuda_version_text(int version);

/// GPUs as the CUDA runtime sees them. Every function throws RunError with the runtime's own words when it fails.
class CudaRuntime {
public:
  /// Opens libcudart. Throws RunError saying precisely what is missing: the library, a driver, one that is new enough,
  /// a device.
  CudaRuntime();
  ~CudaRuntime();
  CudaRuntime(const CudaRuntime&) = delete;
  CudaRuntime& operator=(const CudaRuntime&) = delete;

  int devices() const;
  void use_device(int device) const;
  Capability capability(int device) const;
  std::string bus_id(int device) const; ///< "0000:19:00.0": where it is on its host, whichever GPUs a process sees
  int version() const;                  ///< of this runtime: 13000 is CUDA 13.0
  int driver_version() const;           ///< the newest CUDA that the driver serves; 0: there is no driver
  /// "CUDA 13.0, driver for CUDA 13.0"; a fake's begin with "fake GPU".
  std::string versions() const;
  /// The library of the tests, tests/fake_cuda: its GPUs' memory is the host's.
  bool is_fake() const;

  void* allocate(std::size_t bytes) const;
  void free(void* memory) const;
  /// Host memory that a GPU copies to and from beside its other work (pinned).
  void* allocate_host(std::size_t bytes) const;
  void free_host(void* memory) const;
  /// On the default stream; returns when the bytes are there, for every stream.
  void copy_to_device(void* to, const void* from, std::size_t bytes) const;

  using Stream = void*; ///< null: the default stream
  Stream create_stream() const;
  void destroy_stream(Stream stream) const;
  void finish(Stream stream) const; ///< returns when all its work is done
  /// As work of the stream; `to` is of allocate_host.
  void start_copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream) const;

  using Event = void*;
  Event create_event() const;
  void destroy_event(Event event) const;
  void record(Event event, Stream stream) const;
  void finish_event(Event event) const;
  /// What the stream is given from now on waits for what the event, as recorded last, marks. Returns at once.
  void wait_for(Stream stream, Event event) const;
  /// Half a microsecond is its resolution.
  double seconds_between(Event from, Event to) const;

private:
  [[noreturn]] void refuse(CudaStatus status) const;

  struct Functions;
  std::unique_ptr<Functions> functions_;
};

/// Has this process opened a fake CUDA runtime? Then no time it takes is a GPU's.
bool fake_gpu_was_opened();

// Whether a GPU is of a generation that the libraries at hand have code for.

/// One architecture that a library was compiled for.
struct CompiledFor {
  Capability capability;
  bool for_later = false; ///< as PTX, which the driver compiles for all later GPUs; else for later minor versions only
  bool only_this = false; ///< uses what other GPUs have not ("sm_90a")
};

/// The architectures named in LibTorch's own words about its build (at::show_config: "-gencode;arch=compute_80,
/// code=sm_80"). None where there are no such words, as without CUDA.
std::vector<CompiledFor> architectures_in(const std::string& build_words);

bool runs_on(const CompiledFor& code, const Capability& gpu);

/// Throws RunError with what was found and expected, and what to do, for a GPU that this CUDA no longer serves, nor an
/// NCCL built with it, or that LibTorch has no code for. build_words: LibTorch's, or "" where it does not compute.
void check_capability(const CudaRuntime& cuda, int gpu, const std::string& build_words);

} // namespace ddltrain
