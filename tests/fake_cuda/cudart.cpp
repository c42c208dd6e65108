// libcudart's functions that ddltrain uses (cuda_runtime_api.h, CUDA 13), on the fake machine.

#include "tests/fake_cuda/machine.hpp"
#include "tests/fake_cuda/unseen.hpp"

#include <cstdio>
#include <cstdlib>

using fake_cuda::Machine;
using fake_cuda::Status;

namespace {

/// The call, when there is a machine to call and no check has found anything yet.
template <class Call> Status on_machine(Call call) {
  const fake_cuda::Unseen unseen;
  const Status usable = Machine::get().usable();
  return usable == fake_cuda::success ? call(Machine::get()) : usable;
}

/// Giving back goes on after a check has found something.
template <class Call> Status giving_back(Call call) {
  const fake_cuda::Unseen unseen;
  return call(Machine::get());
}

/// Told when the process calls exit.
const int registered = ::on_exit([](int status, void*) { Machine::get().at_exit(status); }, nullptr);

} // namespace

extern "C" {

/// By this function a program knows that the GPU is none.
const char* ddltrain_fake_cuda() {
  return registered == 0 ? "fake GPU" : "fake GPU that misses the exit";
}

const char* cudaGetErrorString(Status status) {
  const fake_cuda::Unseen unseen;
  thread_local std::string text;
  text = Machine::get().text(status);
  return text.c_str();
}

Status cudaGetDeviceCount(int* count) {
  return on_machine([=](Machine& machine) {
    *count = machine.devices();
    return fake_cuda::success;
  });
}

Status cudaSetDevice(int device) {
  return on_machine([=](Machine& machine) {
    if (device < 0 || device >= machine.devices()) return fake_cuda::invalid_device;
    fake_cuda::current_device() = device;
    return fake_cuda::success;
  });
}

/// Compute capability only: cudaDevAttrComputeCapabilityMajor and ...Minor.
Status cudaDeviceGetAttribute(int* value, int attribute, int device) {
  constexpr int major = 75;
  constexpr int minor = 76;
  return on_machine([=](Machine& machine) {
    if (device < 0 || device >= machine.devices()) return fake_cuda::invalid_device;
    if (attribute != major && attribute != minor) return fake_cuda::invalid_value;
    *value = attribute == major ? machine.capability() / 1000 : machine.capability() % 1000 / 10;
    return fake_cuda::success;
  });
}

Status cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return on_machine([=](Machine& machine) {
    if (device < 0 || device >= machine.devices()) return fake_cuda::invalid_device;
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0",
                  static_cast<unsigned>(machine.place(device)));
    return fake_cuda::success;
  });
}

Status cudaRuntimeGetVersion(int* version) {
  *version = fake_cuda::fake_runtime_version;
  return fake_cuda::success;
}

Status cudaDriverGetVersion(int* version) {
  const fake_cuda::Unseen unseen;
  *version = Machine::get().driver_version();
  return fake_cuda::success;
}

Status cudaMalloc(void** memory, std::size_t bytes) {
  return on_machine([=](Machine& machine) { return machine.allocate(bytes, /*pinned=*/false, memory); });
}

Status cudaMallocHost(void** memory, std::size_t bytes) {
  return on_machine([=](Machine& machine) { return machine.allocate(bytes, /*pinned=*/true, memory); });
}

Status cudaFree(void* memory) {
  return giving_back([=](Machine& machine) { return machine.free(memory, /*pinned=*/false); });
}

Status cudaFreeHost(void* memory) {
  return giving_back([=](Machine& machine) { return machine.free(memory, /*pinned=*/true); });
}

Status cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  return on_machine([=](Machine& machine) { return machine.copy(to, from, bytes, kind); });
}

Status cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
  return on_machine([=](Machine& machine) { return machine.copy_async(to, from, bytes, kind, stream); });
}

Status cudaStreamCreateWithFlags(void** stream, unsigned flags) {
  return on_machine([=](Machine& machine) { return machine.create_stream(flags, stream); });
}

Status cudaStreamDestroy(void* stream) {
  return giving_back([=](Machine& machine) { return machine.destroy_stream(stream); });
}

Status cudaStreamSynchronize(void* stream) {
  return on_machine([=](Machine& machine) { return machine.finish_stream(stream); });
}

Status cudaStreamWaitEvent(void* stream, void* event, unsigned) {
  return on_machine([=](Machine& machine) { return machine.stream_waits(stream, event); });
}

Status cudaEventCreate(void** event) {
  return on_machine([=](Machine& machine) { return machine.create_event(event); });
}

Status cudaEventDestroy(void* event) {
  return giving_back([=](Machine& machine) { return machine.destroy_event(event); });
}

Status cudaEventRecord(void* event, void* stream) {
  return on_machine([=](Machine& machine) { return machine.record(event, stream); });
}

Status cudaEventSynchronize(void* event) {
  return on_machine([=](Machine& machine) { return machine.finish_event(event); });
}

Status cudaEventQuery(void* event) {
  return on_machine([=](Machine& machine) { return machine.is_done(event); });
}

Status cudaEventElapsedTime(float* elapsed_ms, void* from, void* to) {
  return on_machine([=](Machine& machine) { return machine.elapsed(elapsed_ms, from, to); });
}

} // extern "C"
