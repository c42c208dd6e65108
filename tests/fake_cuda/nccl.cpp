// libnccl's functions that ddltrain uses (nccl.h, NCCL 2.28), between processes of one host. Floats and sums only.

#include "tests/fake_cuda/machine.hpp"
#include "tests/fake_cuda/meeting.hpp"
#include "tests/fake_cuda/unseen.hpp"

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <unistd.h>

namespace fake_cuda {

/// ncclUniqueId.
struct Id {
  char bytes[128];
};

namespace {

using NcclStatus = int;
constexpr NcclStatus nccl_success = 0;
constexpr NcclStatus nccl_unhandled_cuda_error = 1;
constexpr NcclStatus nccl_system_error = 2;
constexpr NcclStatus nccl_invalid_argument = 4;
constexpr NcclStatus nccl_invalid_usage = 5;
constexpr NcclStatus nccl_remote_error = 6;
constexpr int float_type = 7;
constexpr int sum_operation = 0;
constexpr int nccl_version_number = 22809;

enum class Fault { none, fail, async, die };

struct PlannedFault {
  Fault what = Fault::none;
  std::uint64_t call = 0;
  int rank = -1; ///< -1: all
};

/// "async:5:1".
PlannedFault planned_fault() {
  const char* const text = std::getenv("DDLTRAIN_FAKE_NCCL_FAULT");
  if (text == nullptr) return {};
  const std::string words(text);
  PlannedFault fault;
  if (words.rfind("fail:", 0) == 0) fault.what = Fault::fail;
  if (words.rfind("async:", 0) == 0) fault.what = Fault::async;
  if (words.rfind("die:", 0) == 0) fault.what = Fault::die;
  std::sscanf(text, "%*[a-z]:%lu:%d", &fault.call, &fault.rank);
  return fault;
}

struct Communicator {
  std::unique_ptr<Meeting> meeting;
  int device = 0;
  bool destroyed = false; ///< under the lock of Library
  std::uint64_t calls = 0;
  std::atomic<NcclStatus> async_error = nccl_success;
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t under_way = 0;
  Clock given; ///< what the stream of the last call had to do
  bool closing = false;
};

struct Library {
  std::mutex mutex;
  std::map<void*, std::unique_ptr<Communicator>> communicators; ///< destroyed ones too
};

Library& library() {
  static Library* const one = new Library; // never deleted: streams may work till the process ends
  return *one;
}

thread_local std::string last_words;

NcclStatus fail(NcclStatus status, const std::string& words) {
  last_words = words;
  return status;
}

Communicator* find(void* handle) {
  const std::lock_guard lock(library().mutex);
  const auto known = library().communicators.find(handle);
  return known == library().communicators.end() || known->second->destroyed ? nullptr : known->second.get();
}

NcclStatus misuse(const std::string& words) {
  Machine::get().complain(words);
  return fail(nccl_invalid_argument, words);
}

/// As the kernels of NCCL, which go on waiting for a rank that is gone: till the communicator is given up.
void hang(Communicator& communicator, NcclStatus cause) {
  communicator.async_error = cause;
  communicator.meeting->leave();
  Machine::get().count_stuck(1);
  std::unique_lock lock(communicator.mutex);
  communicator.changed.wait(lock, [&] { return communicator.closing; });
  lock.unlock();
  Machine::get().count_stuck(-1);
}

void do_collective(Communicator& communicator, const Call& call, const float* from, float* to) {
  try {
    const auto result = communicator.meeting->exchange(call, std::vector<float>(from, from + call.count));
    std::copy(result.begin(), result.end(), to);
  } catch (const MeetingError& error) {
    const bool disagree = error.cause == MeetingError::Cause::disagreement;
    if (disagree) Machine::get().complain("NCCL: " + error.words);
    hang(communicator, disagree ? nccl_invalid_usage : nccl_remote_error);
  }
}

/// result_count: floats of `to`.
NcclStatus collective(const std::string& name, Communicator* communicator, Call call, const void* from, void* to,
                      std::size_t result_count, void* stream) {
  if (communicator == nullptr) return misuse(name + ": the communicator is none, or no more");
  if (current_device() != communicator->device) {
    return misuse(
        fmt::format("{}: the current GPU is {}, the communicator's {}", name, current_device(), communicator->device));
  }
  call.number = ++communicator->calls;
  const PlannedFault fault = planned_fault();
  const bool now = fault.call == call.number && (fault.rank < 0 || fault.rank == communicator->meeting->rank());
  if (now && fault.what == Fault::fail)
    return fail(nccl_system_error, "unhandled system error (asked for by the test)");
  if (now && fault.what == Fault::die) ::raise(SIGKILL);
  std::vector<Access> accesses = {{range_of(to, result_count * sizeof(float)), /*writes=*/true}};
  if (from != to) accesses.push_back({range_of(from, call.count * sizeof(float)), false});
  {
    const std::lock_guard lock(communicator->mutex);
    ++communicator->under_way;
  }
  const auto work = [=] {
    if (now && fault.what == Fault::async) {
      hang(*communicator, nccl_remote_error);
    } else {
      do_collective(*communicator, call, static_cast<const float*>(from), static_cast<float*>(to));
    }
    const std::lock_guard lock(communicator->mutex);
    --communicator->under_way;
    communicator->changed.notify_all();
  };
  const bool given = Machine::get().add_work(stream, name, accesses, work) == success;
  const std::lock_guard lock(communicator->mutex);
  if (given) {
    communicator->given = Machine::get().given_to(stream);
    return nccl_success;
  }
  --communicator->under_way;
  return fail(nccl_unhandled_cuda_error, Machine::get().text(unknown_status));
}

/// The line of a connection, in NCCL 2.28's words.
void log_connection(int rank, int ranks) {
  const char* const level = std::getenv("NCCL_DEBUG");
  const char* const path = std::getenv("NCCL_DEBUG_FILE");
  if (ranks < 2 || level == nullptr || path == nullptr || std::string(level) != "INFO") return;
  const char* const connection = std::getenv("DDLTRAIN_FAKE_NCCL_CONNECTION");
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return;
  fmt::print(file, "fake:1:1 [0] NCCL INFO Channel 00/0 : {0}[{0}] -> {1}[{1}] {2}\n", rank, (rank + 1) % ranks,
             connection == nullptr ? "via SHM/direct/direct" : connection);
  std::fclose(file);
}

RankDevice own_device(int device) {
  const char* const host_id = std::getenv("NCCL_HOSTID");
  return {device, Machine::get().place(device), host_id == nullptr ? 0 : std::hash<std::string>()(host_id)};
}

NcclStatus check_type(int type, int operation) {
  const bool known = type == float_type && operation == sum_operation;
  return known ? nccl_success : fail(nccl_invalid_argument, "the fake NCCL sums floats only");
}

NcclStatus end(void* handle, bool abort) {
  Communicator* const communicator = find(handle);
  if (communicator == nullptr) return misuse("a communicator is destroyed that is none, or no more");
  {
    std::unique_lock lock(communicator->mutex);
    communicator->closing = true;
    communicator->changed.notify_all();
    if (abort) communicator->meeting->leave();
    communicator->changed.wait(lock, [&] { return communicator->under_way == 0; });
    Machine::get().host_knows(communicator->given);
  }
  const std::lock_guard lock(library().mutex);
  communicator->destroyed = true;
  communicator->meeting.reset();
  Machine::get().count_communicator(-1);
  return nccl_success;
}

} // namespace
} // namespace fake_cuda

using namespace fake_cuda;

extern "C" {

const char* ncclGetErrorString(NcclStatus status) {
  const Unseen unseen;
  if (status != nccl_success && !last_words.empty()) return last_words.c_str();
  switch (status) {
  case nccl_success:
    return "no error";
  case nccl_remote_error:
    return "remote process exited or there was a network error";
  case nccl_invalid_usage:
    return "invalid usage";
  default:
    return "unhandled system error";
  }
}

NcclStatus ncclGetVersion(int* version) {
  *version = nccl_version_number;
  return nccl_success;
}

NcclStatus ncclGetUniqueId(Id* id) {
  const Unseen unseen;
  std::random_device random;
  const std::string name = fmt::format("ddltrain-fake-nccl-{}-{:08x}{:08x}", ::getpid(), random(), random());
  *id = {};
  std::memcpy(id->bytes, name.data(), name.size());
  return nccl_success;
}

NcclStatus ncclCommInitRank(void** handle, int ranks, Id id, int rank) {
  const Unseen unseen;
  if (rank < 0 || rank >= ranks) return fail(nccl_invalid_argument, "a rank that is none");
  if (Machine::get().usable() != success) return fail(nccl_unhandled_cuda_error, "unhandled cuda error");
  auto made = std::make_unique<Communicator>();
  made->device = current_device();
  try {
    made->meeting = std::make_unique<Meeting>(id.bytes, rank, ranks, own_device(made->device));
  } catch (const MeetingError& error) {
    const bool disagree = error.cause == MeetingError::Cause::disagreement;
    return fail(disagree ? nccl_invalid_usage : nccl_system_error, error.words);
  }
  log_connection(rank, ranks);
  const std::lock_guard lock(library().mutex);
  *handle = made.get();
  library().communicators.emplace(made.get(), std::move(made));
  Machine::get().count_communicator(1);
  return nccl_success;
}

NcclStatus ncclCommDestroy(void* handle) {
  const Unseen unseen;
  return end(handle, /*abort=*/false);
}

NcclStatus ncclCommAbort(void* handle) {
  const Unseen unseen;
  return end(handle, /*abort=*/true);
}

NcclStatus ncclCommGetAsyncError(void* handle, NcclStatus* status) {
  const Unseen unseen;
  const Communicator* const communicator = find(handle);
  if (communicator == nullptr) return misuse("the error of a communicator is asked for that is none, or no more");
  last_words.clear();
  *status = communicator->async_error;
  return nccl_success;
}

NcclStatus ncclAllReduce(const void* from, void* to, std::size_t count, int type, int operation, void* handle,
                         void* stream) {
  const Unseen unseen;
  if (const NcclStatus status = check_type(type, operation); status != nccl_success) return status;
  return collective("ncclAllReduce", find(handle), {Kind::all_reduce, 0, 0, count}, from, to, count, stream);
}

NcclStatus ncclReduceScatter(const void* from, void* to, std::size_t own_count, int type, int operation, void* handle,
                             void* stream) {
  const Unseen unseen;
  if (const NcclStatus status = check_type(type, operation); status != nccl_success) return status;
  Communicator* const communicator = find(handle);
  const std::size_t ranks = communicator == nullptr ? 1 : static_cast<std::size_t>(communicator->meeting->ranks());
  return collective("ncclReduceScatter", communicator, {Kind::reduce_scatter, 0, 0, own_count * ranks}, from, to,
                    own_count, stream);
}

NcclStatus ncclAllGather(const void* from, void* to, std::size_t own_count, int type, void* handle, void* stream) {
  const Unseen unseen;
  if (const NcclStatus status = check_type(type, sum_operation); status != nccl_success) return status;
  Communicator* const communicator = find(handle);
  const std::size_t ranks = communicator == nullptr ? 1 : static_cast<std::size_t>(communicator->meeting->ranks());
  return collective("ncclAllGather", communicator, {Kind::all_gather, 0, 0, own_count}, from, to, own_count * ranks,
                    stream);
}

NcclStatus ncclBroadcast(const void* from, void* to, std::size_t count, int type, int root, void* handle,
                         void* stream) {
  const Unseen unseen;
  if (const NcclStatus status = check_type(type, sum_operation); status != nccl_success) return status;
  return collective("ncclBroadcast", find(handle), {Kind::broadcast, root, 0, count}, from, to, count, stream);
}

} // extern "C"
