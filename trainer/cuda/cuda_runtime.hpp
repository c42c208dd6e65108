#pragma once
// The parts of CUDA's and NCCL's binary interfaces that this program uses. They are written down here, so that it
// builds without their headers and finds the libraries at run time. Tests compare them with the headers where there are
// any.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ddltrain {

// From cuda_runtime_api.h and driver_types.h, CUDA 11 to 13.
using CudaStatus = int;
inline constexpr CudaStatus cuda_success = 0;
inline constexpr CudaStatus cuda_insufficient_driver = 35;
inline constexpr int cuda_capability_major = 75; ///< attribute of cudaDeviceGetAttribute, as the next one
inline constexpr int cuda_capability_minor = 76;
inline constexpr int cuda_host_to_device = 1;
inline constexpr int cuda_device_to_host = 2;
inline constexpr unsigned cuda_stream_non_blocking = 1;

// From nccl.h, NCCL 2.
using NcclStatus = int;
using NcclCommunicatorHandle = void*;
inline constexpr NcclStatus nccl_success = 0;
inline constexpr NcclStatus nccl_in_progress = 7; ///< state of a communicator that does not block; it is no failure
inline constexpr int nccl_float = 7;
inline constexpr int nccl_sum = 0;
inline constexpr std::size_t nccl_id_bytes = 128;
struct NcclId {
  char bytes[nccl_id_bytes];
};

/// A shared library that this program can do without. It is opened when it is needed, and stays open as long as the
/// program runs.
class DynamicLibrary {
public:
  /// Opens the first of `names` that exists. Throws RunError with the loader's message about each when none does.
  explicit DynamicLibrary(const std::vector<std::string>& names);

  /// Finds the function of that name, as `Function`. Throws RunError when the library is too old to have it.
  template <class Function> void find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(address_of(name)); // NOLINT: what dlsym is for
  }
  /// Whether there is a function of that name.
  bool has(const char* name) const;
  const std::string& name() const { return name_; }

private:
  void* address_of(const char* name) const;

  void* handle_ = nullptr;
  std::string name_;
};

// The functions of NVIDIA's CUDA runtime that training and measuring need, from a library that is opened at run time,
// so that one program serves machines with and without a GPU.

/// A GPU's generation as NVIDIA counts it: 9.0 is Hopper.
struct Capability {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Capability&) const = default;
};

/// Returns "12.2" for 12020.
std::string cuda_version_text(int version);

/// The GPUs that the CUDA runtime sees. Every function throws RunError with the runtime's message when it fails.
class CudaRuntime {
public:
  /// Opens libcudart. Throws RunError that says what is missing: the library, a driver, one that is new enough, or a
  /// device.
  CudaRuntime();
  ~CudaRuntime();
  CudaRuntime(const CudaRuntime&) = delete;
  CudaRuntime& operator=(const CudaRuntime&) = delete;

  int devices() const;
  void use_device(int device) const;
  Capability capability(int device) const;
  std::string bus_id(int device) const; ///< place on its host such as "0000:19:00.0", whichever GPUs a process sees
  int version() const;                  ///< version of this runtime: 13000 is CUDA 13.0
  int driver_version() const;           ///< newest CUDA that the driver supports; 0: there is no driver
  /// Returns texts such as "CUDA 13.0, driver for CUDA 13.0". That of a fake begins with "fake GPU".
  std::string versions() const;
  /// Whether it is the library of the tests, tests/fake_cuda, in which the memory of GPUs is that of the host.
  bool is_fake() const;

  void* allocate(std::size_t bytes) const;
  void free(void* memory) const;
  /// Allocates host memory that a GPU can copy to and from beside its other work (pinned).
  void* allocate_host(std::size_t bytes) const;
  void free_host(void* memory) const;
  /// Copies on the default stream. Returns when the bytes are there, for every stream.
  void copy_to_device(void* to, const void* from, std::size_t bytes) const;

  using Stream = void*; ///< a stream; null: the default stream
  Stream create_stream() const;
  void destroy_stream(Stream stream) const;
  void finish(Stream stream) const; ///< returns when all its work is done
  /// Starts a copy as work of the stream. `to` is memory of allocate_host.
  void start_copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream) const;

  using Event = void*;
  Event create_event() const;
  void destroy_event(Event event) const;
  void record(Event event, Stream stream) const;
  void finish_event(Event event) const;
  /// Makes the work that the stream is given from now on wait for what the event marked when it was last recorded.
  /// Returns at once.
  void wait_for(Stream stream, Event event) const;
  /// Returns seconds with a resolution of half a microsecond.
  double seconds_between(Event from, Event to) const;

private:
  [[noreturn]] void refuse(CudaStatus status) const;

  struct Functions;
  std::unique_ptr<Functions> functions_;
};

/// Whether this process has opened a fake CUDA runtime. Then no time that it measures is a GPU's.
bool fake_gpu_was_opened();

// Checks whether the present libraries have code for a GPU's generation.

/// An architecture for which a library was compiled.
struct CompiledFor {
  Capability capability;
  /// compiled as PTX, which the driver compiles for all later GPUs; else for later minor versions only
  bool for_later = false;
  bool only_this = false; ///< whether the code uses features that other GPUs do not have ("sm_90a")
};

/// Returns the architectures in LibTorch's text about its build (at::show_config: "-gencode;arch=compute_80,
/// code=sm_80"); none where there is no such text, as without CUDA.
std::vector<CompiledFor> architectures_in(const std::string& build_words);

bool runs_on(const CompiledFor& code, const Capability& gpu);

/// Throws RunError with what was found and expected, and what to do, for a GPU that this CUDA or an NCCL built with it
/// no longer supports, or for which LibTorch has no code. `build_words` is LibTorch's text, or "" where it does not
/// compute.
void check_capability(const CudaRuntime& cuda, int gpu, const std::string& build_words);

} // namespace ddltrain
