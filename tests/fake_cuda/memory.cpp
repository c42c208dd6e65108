// Memory of the fake machine: pages of their own, which no other allocation gets after they are freed.

#include "tests/fake_cuda/machine.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>
#include <unistd.h>

namespace fake_cuda {
namespace {

constexpr int host_to_device = 1;
constexpr int device_to_host = 2;

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

} // namespace

Status Machine::allocate(std::size_t bytes, bool pinned, void** made) {
  const std::lock_guard lock(mutex_);
  if (bytes > free_bytes_) return fail(memory_allocation, "");
  const std::size_t pages = whole_pages(bytes);
  const std::size_t guard = whole_pages(1); // between this block and the next
  void* const memory = ::mmap(nullptr, pages + guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || ::mprotect(memory, pages, PROT_READ | PROT_WRITE) != 0)
    return fail(memory_allocation, "");
  free_bytes_ -= bytes;
  blocks_[range_of(memory, bytes).first] = {bytes, pinned, /*freed=*/false};
  *made = memory;
  return success;
}

Status Machine::free(void* memory, bool pinned) {
  if (memory == nullptr) return success;
  const std::lock_guard lock(mutex_);
  const auto known = blocks_.find(range_of(memory, 0).first);
  if (known == blocks_.end()) return found(fmt::format("the host frees {}, which is no allocation", memory));
  Block& block = known->second;
  if (block.freed) return found(fmt::format("the host frees {} a second time", memory));
  if (block.pinned != pinned) {
    return found(fmt::format("the host frees {} as {} memory, which it is not", memory, pinned ? "pinned" : "a GPU's"));
  }
  const std::string wrong = order_.release(range_of(memory, block.bytes));
  if (!wrong.empty()) return found(wrong);
  block.freed = true;
  free_bytes_ += block.bytes;
  ::madvise(memory, whole_pages(block.bytes), MADV_DONTNEED);
  ::mprotect(memory, whole_pages(block.bytes), PROT_NONE);
  return success;
}

std::string Machine::check_memory(const Access& access) const {
  auto after = blocks_.upper_bound(access.memory.first);
  if (after == blocks_.begin()) return "";
  const auto& [first, block] = *std::prev(after);
  if (access.memory.first >= first + whole_pages(block.bytes)) return ""; // memory of others
  if (block.freed) return fmt::format("{:#x} was freed", access.memory.first);
  if (access.memory.last <= first + block.bytes) return "";
  return fmt::format("{:#x} and on is beyond the end of an allocation of {} bytes", first + block.bytes, block.bytes);
}

bool Machine::is_pinned(const void* memory, std::size_t bytes) const {
  const Range range = range_of(memory, bytes);
  auto after = blocks_.upper_bound(range.first);
  if (after == blocks_.begin()) return false;
  const auto& [first, block] = *std::prev(after);
  return block.pinned && range.last <= first + block.bytes;
}

Status Machine::copy(void* to, const void* from, std::size_t bytes, int kind) {
  std::unique_lock lock(mutex_);
  if (kind != host_to_device && kind != device_to_host) return fail(invalid_value, "");
  if (is_pinned(kind == host_to_device ? to : from, bytes)) return found("cudaMemcpy: the GPU's side is host memory");
  Stream& stream = *find_stream(nullptr);
  order_.host_waits(order_.clock(stream.number));
  const Status status =
      start(stream, "cudaMemcpy", {{range_of(from, bytes), false}, {range_of(to, bytes), /*writes=*/true}});
  if (status != success) return status;
  const Clock done = order_.clock(stream.number);
  const bool staged = kind == host_to_device && !is_pinned(from, bytes);
  give(stream, [=] { std::memcpy(to, from, bytes); });
  wait_until_idle(lock, stream);
  // From pageable memory the call returns when the bytes have left it, which is before they are on the GPU.
  if (!staged) order_.host_waits(done);
  return success;
}

Status Machine::copy_async(void* to, const void* from, std::size_t bytes, int kind, void* handle) {
  {
    const std::lock_guard lock(mutex_);
    if (kind != host_to_device && kind != device_to_host) return fail(invalid_value, "");
    const bool to_device = kind == host_to_device;
    if (is_pinned(to_device ? to : from, bytes)) return found("cudaMemcpyAsync: the GPU's side is host memory");
    if (!is_pinned(to_device ? from : to, bytes)) {
      return found("cudaMemcpyAsync: the host's side is not pinned, so the copy is not beside other work");
    }
  }
  return add_work(handle, "cudaMemcpyAsync", {{range_of(from, bytes), false}, {range_of(to, bytes), /*writes=*/true}},
                  [=] { std::memcpy(to, from, bytes); });
}

} // namespace fake_cuda
