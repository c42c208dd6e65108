#include "tests/fake_cuda/machine.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace fake_cuda {
namespace {

constexpr int usual_devices = 4;
constexpr std::size_t usual_memory_bytes = std::size_t{16} << 30;
constexpr int found_status = 86; ///< of a program that would have ended well

/// The last failure of this thread, for cudaGetErrorString.
struct LastFailure {
  Status status = success;
  std::string words;
};
thread_local LastFailure last_failure;

const char* from_environment(const char* name, const char* usual) {
  const char* const value = std::getenv(name);
  return value == nullptr ? usual : value;
}

/// "12.2" is 12020, as cudaDriverGetVersion has it.
int version_number(const char* text) {
  int major = 0;
  int minor = 0;
  std::sscanf(text, "%d.%d", &major, &minor);
  return 1000 * major + 10 * minor;
}

const char* usual_text(Status status) {
  switch (status) {
  case success:
    return "no error";
  case invalid_value:
    return "invalid argument";
  case memory_allocation:
    return "out of memory";
  case insufficient_driver:
    return "CUDA driver version is insufficient for CUDA runtime version";
  case no_device:
    return "no CUDA-capable device is detected";
  case invalid_device:
    return "invalid device ordinal";
  case invalid_resource_handle:
    return "invalid resource handle";
  case not_ready:
    return "device not ready";
  default:
    return "unknown error";
  }
}

} // namespace

int& current_device() {
  thread_local int device = 0;
  return device;
}

Machine& Machine::get() {
  static Machine* const machine = new Machine; // never deleted: its threads may work till the process ends
  return *machine;
}

Machine::Machine()
    : devices_(std::atoi(from_environment("DDLTRAIN_FAKE_CUDA_DEVICES", std::to_string(usual_devices).c_str()))),
      first_(std::atoi(from_environment("DDLTRAIN_FAKE_CUDA_FIRST", "0"))),
      driver_version_(version_number(from_environment("DDLTRAIN_FAKE_CUDA_DRIVER", "13.0"))),
      capability_(version_number(from_environment("DDLTRAIN_FAKE_CUDA_CAPABILITY", "9.0"))) {
  const char* const memory = std::getenv("DDLTRAIN_FAKE_CUDA_MEMORY");
  free_bytes_ = memory == nullptr ? usual_memory_bytes : std::strtoull(memory, nullptr, 10);
}

Status Machine::usable() {
  if (driver_version_ < fake_runtime_version) return insufficient_driver;
  if (devices_ == 0) return no_device;
  const std::lock_guard lock(mutex_);
  return complaints_.empty() ? success : fail(unknown_status, complaints_.front());
}

Status Machine::fail(Status status, std::string words) {
  last_failure = {status, std::move(words)};
  return status;
}

Status Machine::found(const std::string& what) {
  complaints_.push_back(what);
  return fail(unknown_status, what);
}

Status Machine::complain(const std::string& what) {
  const std::lock_guard lock(mutex_);
  return found(what);
}

std::string Machine::text(Status status) const {
  return last_failure.status == status && !last_failure.words.empty() ? last_failure.words : usual_text(status);
}

std::string Machine::take_complaint() {
  const std::lock_guard lock(mutex_);
  std::string first = complaints_.empty() ? "" : complaints_.front();
  complaints_.clear();
  order_.forget_accesses();
  return first;
}

void Machine::count_communicator(int change) {
  const std::lock_guard lock(mutex_);
  communicators_ += change;
}

std::string Machine::left_behind() const {
  int streams = -static_cast<int>(default_streams_.size());
  int events = 0;
  int blocks = 0;
  for (const auto& [handle, stream] : streams_) streams += stream->destroyed ? 0 : 1;
  for (const auto& [handle, event] : events_) events += event->destroyed ? 0 : 1;
  for (const auto& [first, block] : blocks_) blocks += block.freed ? 0 : 1;
  if (streams + events + blocks + communicators_ == 0) return "";
  return fmt::format("left behind: {} streams, {} events, {} allocations, {} communicators", streams, events, blocks,
                     communicators_);
}

void Machine::at_exit(int status) {
  std::vector<std::string> all = std::exchange(complaints_, {});
  if (status != 0) return; // a program that fails need not tidy up
  if (const std::string left = left_behind(); !left.empty()) all.push_back(left);
  if (all.empty()) return;
  for (const std::string& one : all) fmt::print(stderr, "fake CUDA: {}\n", one);
  std::fflush(nullptr);
  ::_exit(found_status);
}

} // namespace fake_cuda
