#pragma once
// The few functions of NVIDIA's CUDA runtime that training and measuring need, from a library opened at run time: one
// program serves machines with and without a GPU.

#include <cstddef>
#include <memory>
#include <string>

namespace ddltrain {

/// GPUs as the CUDA runtime sees them. Every function throws RunError with the runtime's own words when it fails.
class CudaRuntime {
public:
  /// Opens libcudart. Throws RunError saying precisely what is missing: the toolkit when this program was built, the
  /// library, a driver that is new enough, a device.
  CudaRuntime();
  ~CudaRuntime();
  CudaRuntime(const CudaRuntime&) = delete;
  CudaRuntime& operator=(const CudaRuntime&) = delete;

  int devices() const;
  void use_device(int device) const;
  /// "CUDA 13.0, driver for CUDA 13.0".
  std::string versions() const;

  void* allocate(std::size_t bytes) const;
  void free(void* memory) const;
  /// Host memory that a GPU copies to and from beside its other work (pinned).
  void* allocate_host(std::size_t bytes) const;
  void free_host(void* memory) const;
  void copy_to_device(void* to, const void* from, std::size_t bytes) const;
  void copy_to_host(void* to, const void* from, std::size_t bytes) const;

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
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

} // namespace ddltrain
