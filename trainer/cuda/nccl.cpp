#include "trainer/cuda/nccl.hpp"

#include "trainer/cuda/cuda_abi.hpp"
#include "trainer/cuda/dynamic_library.hpp"
#include "trainer/files/error.hpp"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

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

  explicit Functions(const std::vector<std::string>& names) : library(names) {
    library.find(error_string, "ncclGetErrorString");
    library.find(get_version, "ncclGetVersion");
    library.find(get_unique_id, "ncclGetUniqueId");
    library.find(comm_init_rank, "ncclCommInitRank");
    library.find(comm_destroy, "ncclCommDestroy");
    library.find(all_reduce, "ncclAllReduce");
  }

  void check(NcclStatus status, const char* call) const {
    if (status != kNcclSuccess) throw RunError(fmt::format("{} failed: {}", call, error_string(status)));
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
  // nccl.h: 22809 is 2.28.9 since 2.9, before that 2804 was 2.8.4.
  const int major_unit = code < 10000 ? 1000 : 10000;
  return fmt::format("NCCL {}.{}.{}", code / major_unit, code % major_unit / 100, code % 100);
}

std::string Nccl::new_id() const {
  NcclId id{};
  functions_->check(functions_->get_unique_id(&id), "ncclGetUniqueId");
  return {id.bytes, sizeof id.bytes};
}

Nccl::Handle Nccl::join(const std::string& text, int rank, int ranks) const {
  if (text.size() != kNcclIdBytes) throw std::logic_error("an NCCL identifier of another length");
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
  functions_->check(functions_->all_reduce(device, device, count, kNcclFloat, kNcclSum, communicator, stream),
                    "ncclAllReduce");
}

} // namespace ddltrain
