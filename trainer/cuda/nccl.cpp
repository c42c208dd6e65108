#include "trainer/cuda/nccl.hpp"

#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/records/surroundings.hpp"
#include "trainer/run_error.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <unistd.h>

namespace ddltrain {

struct Nccl::Functions {
  using Stream = CudaRuntime::Stream;
  DynamicLibrary library;
  const char* (*error_string)(NcclStatus) = nullptr;
  NcclStatus (*get_version)(int*) = nullptr;
  NcclStatus (*get_unique_id)(NcclId*) = nullptr;
  NcclStatus (*comm_init_rank)(Handle*, int, NcclId, int) = nullptr;
  NcclStatus (*comm_destroy)(Handle) = nullptr;
  NcclStatus (*all_reduce)(const void*, void*, std::size_t, int, int, Handle, Stream) = nullptr;
  NcclStatus (*reduce_scatter)(const void*, void*, std::size_t, int, int, Handle, Stream) = nullptr;
  NcclStatus (*all_gather)(const void*, void*, std::size_t, int, Handle, Stream) = nullptr;
  NcclStatus (*broadcast)(const void*, void*, std::size_t, int, int, Handle, Stream) = nullptr;
  NcclStatus (*get_async_error)(Handle, NcclStatus*) = nullptr;

  explicit Functions(const std::vector<std::string>& names) : library(names) {
    library.find(error_string, "ncclGetErrorString");
    library.find(get_version, "ncclGetVersion");
    library.find(get_unique_id, "ncclGetUniqueId");
    library.find(comm_init_rank, "ncclCommInitRank");
    library.find(comm_destroy, "ncclCommDestroy");
    library.find(all_reduce, "ncclAllReduce");
    library.find(reduce_scatter, "ncclReduceScatter");
    library.find(all_gather, "ncclAllGather");
    library.find(broadcast, "ncclBroadcast");
    library.find(get_async_error, "ncclCommGetAsyncError");
  }

  void check(NcclStatus status, const char* call) const {
    if (status != nccl_success) throw RunError(fmt::format("{} failed: {}", call, error_string(status)));
  }
};

Nccl::Nccl() {
  try {
    functions_ = std::make_unique<Functions>(std::vector<std::string>{"libnccl.so.2"});
  } catch (const RunError& error) {
    throw RunError(std::string("NCCL is missing (") + error.what() + ")");
  }
}

Nccl::~Nccl() = default;

std::string Nccl::version() const {
  int code = 0;
  functions_->check(functions_->get_version(&code), "ncclGetVersion");
  // By nccl.h, 22809 is 2.28.9 since version 2.9; before that 2804 was 2.8.4.
  const int major_unit = code < 10000 ? 1000 : 10000;
  return fmt::format("NCCL {}.{}.{}", code / major_unit, code % major_unit / 100, code % 100);
}

std::string Nccl::new_id() const {
  NcclId id{};
  functions_->check(functions_->get_unique_id(&id), "ncclGetUniqueId");
  return {id.bytes, sizeof id.bytes};
}

Nccl::Handle Nccl::join(const std::string& text, int rank, int ranks) const {
  if (text.size() != nccl_id_bytes) throw std::logic_error("an NCCL identifier of another length");
  NcclId id{};
  std::memcpy(id.bytes, text.data(), text.size());
  Handle communicator = nullptr;
  functions_->check(functions_->comm_init_rank(&communicator, ranks, id, rank), "ncclCommInitRank");
  return communicator;
}

void Nccl::leave(Handle communicator) const {
  functions_->comm_destroy(communicator);
}

void Nccl::all_reduce(Handle communicator, float* device, std::size_t count, CudaRuntime::Stream stream) const {
  functions_->check(functions_->all_reduce(device, device, count, nccl_float, nccl_sum, communicator, stream),
                    "ncclAllReduce");
}

void Nccl::reduce_scatter(Handle communicator, const float* device, float* own, std::size_t own_count,
                          CudaRuntime::Stream stream) const {
  functions_->check(functions_->reduce_scatter(device, own, own_count, nccl_float, nccl_sum, communicator, stream),
                    "ncclReduceScatter");
}

void Nccl::all_gather(Handle communicator, const float* own, float* device, std::size_t own_count,
                      CudaRuntime::Stream stream) const {
  functions_->check(functions_->all_gather(own, device, own_count, nccl_float, communicator, stream), "ncclAllGather");
}

void Nccl::broadcast(Handle communicator, float* device, std::size_t count, int root,
                     CudaRuntime::Stream stream) const {
  functions_->check(functions_->broadcast(device, device, count, nccl_float, root, communicator, stream),
                    "ncclBroadcast");
}

void Nccl::check_communicator(Handle communicator) const {
  NcclStatus failure = nccl_success;
  functions_->check(functions_->get_async_error(communicator, &failure), "ncclCommGetAsyncError");
  if (failure != nccl_in_progress) functions_->check(failure, "NCCL's work between the GPUs");
}

namespace {

constexpr CudaRuntime::Stream computing_stream = nullptr; ///< the default stream, which LibTorch uses

} // namespace

NcclAllReduce::NcclAllReduce(std::shared_ptr<const CudaRuntime> cuda, std::shared_ptr<const Nccl> nccl, int gpu,
                             const std::string& id, int rank, int ranks)
    : cuda_(std::move(cuda)), nccl_(std::move(nccl)), gpu_(gpu) {
  cuda_->use_device(gpu_);
  communicator_ = nccl_->join(id, rank, ranks);
  stream_ = cuda_->create_stream();
  computed_ = cuda_->create_event();
  done_ = cuda_->create_event();
}

NcclAllReduce::~NcclAllReduce() {
  if (std::uncaught_exceptions() > 0) return; // leaving may wait for ranks that wait for this one
  nccl_->leave(communicator_);
  cuda_->destroy_event(computed_);
  cuda_->destroy_event(done_);
  cuda_->destroy_stream(stream_);
}

void NcclAllReduce::start(float* data, std::size_t count) {
  cuda_->use_device(gpu_); // each thread has its own current GPU, and backward runs in a thread of LibTorch
  cuda_->record(computed_, computing_stream);
  // this waits for what is recorded now; the event may be recorded again before that is done
  cuda_->wait_for(stream_, computed_);
  nccl_->all_reduce(communicator_, data, count, stream_);
}

void NcclAllReduce::finish() {
  cuda_->record(done_, stream_);
  cuda_->wait_for(computing_stream, done_);
}

void NcclAllReduce::broadcast(float* data, std::size_t count) {
  cuda_->use_device(gpu_);
  cuda_->record(computed_, computing_stream);
  cuda_->wait_for(stream_, computed_);
  nccl_->broadcast(communicator_, data, count, /*root=*/0, stream_);
  finish();
}

void NcclAllReduce::all_reduce_now(float* data, std::size_t count) {
  nccl_->all_reduce(communicator_, data, count, stream_);
  cuda_->finish(stream_);
}

NcclLog::NcclLog(bool on) {
  if (!on || std::getenv("NCCL_DEBUG") != nullptr || std::getenv("NCCL_DEBUG_FILE") != nullptr) return;
  file_ = ::memfd_create("nccl-log", MFD_CLOEXEC); // a file that is in no folder, so that no failure leaves it behind
  if (file_ < 0) return;
  ::setenv("NCCL_DEBUG", "INFO", 1);
  ::setenv("NCCL_DEBUG_SUBSYS", "INIT,NET,P2P,SHM", 1); // text about connections, and not about collectives
  ::setenv("NCCL_DEBUG_FILE", ("/proc/self/fd/" + std::to_string(file_)).c_str(), 1);
  ::setenv(own_nccl_log, "1", 1);
}

NcclLog::~NcclLog() {
  if (file_ < 0) return;
  for (const char* name : {"NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_FILE", own_nccl_log}) ::unsetenv(name);
  ::close(file_);
}

std::string NcclLog::text() const {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t count = file_ < 0 ? 0 : ::pread(file_, part.data(), part.size(), static_cast<off_t>(text.size()));
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

} // namespace ddltrain
