#pragma once
// A machine with GPUs that are none, for tests of --device cuda and --backend nccl where there is no GPU:
// `libcudart.so.13` and `libnccl.so.2` on host memory. Programs find them when their folder is in LD_LIBRARY_PATH.
//
// Every stream runs its work in order on a thread of its own, so work is really asynchronous. Besides, each call is
// checked: memory that one stream touches must be ordered after what another did to it, by events or the host's
// waits; nothing may be freed twice, used after it was freed, freed while in use, left behind at a good exit;
// streams and events stay on their GPU; what is destroyed is not used. The call that does wrong fails with
// cudaErrorUnknown and words that name it, and so do all later ones but those that give back; a program that ends
// with status 0 all the same ends with 86.
//
// LibTorch's tensors stay in host memory and are the device's memory. What LibTorch does to them counts as work of the
// default stream (torch_accesses.cpp).
//
// The environment chooses what the machine is like:
//   DDLTRAIN_FAKE_CUDA_DEVICES=N    GPUs; 4 usually, 0: none
//   DDLTRAIN_FAKE_CUDA_FIRST=N      the place on the host's bus of the first GPU that this process sees; 0 usually
//   DDLTRAIN_FAKE_CUDA_DRIVER=12.2  the driver's CUDA; below 13.0 it is too old for this runtime
//                                   0.0: there is none
//   DDLTRAIN_FAKE_CUDA_CAPABILITY=7.0
//                                   the GPUs' compute capability; 9.0 usually
//   DDLTRAIN_FAKE_CUDA_MEMORY=BYTES for allocations, pinned ones too; 16 GiB usually
//   DDLTRAIN_FAKE_NCCL_CONNECTION="[send] via NET/IB/0"
//                                   how NCCL says (NCCL_DEBUG=INFO, to NCCL_DEBUG_FILE) that it connects two GPUs; "via
//                                   SHM/direct/direct" usually
//   DDLTRAIN_FAKE_NCCL_FAULT=WHAT:CALL[:RANK]
//                                   what becomes of a communicator's collective number CALL, counted from 1, on that
//                                   rank or on all: `fail`, the call fails; `async`, it returns, its work never ends
//                                   and ncclCommGetAsyncError says so; `die`, the process is killed
//
// Held against tests by fake_cuda_test.cpp: every check must find its planted fault.

#include "tests/fake_cuda/order.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>

namespace fake_cuda {

// driver_types.h, CUDA 13.
using Status = int;
inline constexpr Status success = 0;
inline constexpr Status invalid_value = 1;
inline constexpr Status memory_allocation = 2;
inline constexpr Status insufficient_driver = 35;
inline constexpr Status no_device = 100;
inline constexpr Status invalid_device = 101;
inline constexpr Status invalid_resource_handle = 400;
inline constexpr Status not_ready = 600;
inline constexpr Status unknown_status = 999; ///< a check found something

inline constexpr int fake_runtime_version = 13000;

/// What a stream does, in the order given.
struct Stream {
  Order::Stream number = 0;
  int device = 0;
  bool destroyed = false;
  std::deque<std::function<void()>> work;
  bool busy = false;
};

/// One recording of an event.
struct Mark {
  bool done = false;
  std::chrono::steady_clock::time_point at;
};

struct Event {
  int device = 0;
  bool destroyed = false;
  std::shared_ptr<Mark> mark; ///< of the last recording; null: none yet
  Clock clock;
};

struct Block {
  std::size_t bytes = 0;
  bool pinned = false;
  bool freed = false;
};

/// All state of the process. One lock; functions that wait release it meanwhile.
class Machine {
public:
  static Machine& get();

  /// Why no call can succeed: no device, a driver too old, a check that found something. success usually.
  Status usable();
  int devices() const { return devices_; }
  int place(int device) const { return first_ + device; } ///< on the host's bus
  int driver_version() const { return driver_version_; }
  int capability() const { return capability_; } ///< as version numbers are: 9000 is 9.0

  Status create_stream(unsigned flags, void** made);
  Status destroy_stream(void* handle);
  Status create_event(void** made);
  Status destroy_event(void* handle);
  Status record(void* event, void* stream);
  Status stream_waits(void* stream, void* event);
  Status finish_stream(void* stream);
  Status finish_event(void* event);
  Status is_done(void* event);
  Status elapsed(float* elapsed_ms, void* from, void* to);

  Status allocate(std::size_t bytes, bool pinned, void** made);
  Status free(void* memory, bool pinned);
  /// host: the side that must be the host's own memory.
  Status copy(void* to, const void* from, std::size_t bytes, int kind);
  Status copy_async(void* to, const void* from, std::size_t bytes, int kind, void* stream);

  /// Gives a stream of the current GPU work that touches memory so. The words of a failure name `what`.
  Status add_work(void* stream, const std::string& what, const std::vector<Access>& accesses,
                  std::function<void()> work);
  /// All that a stream was given so far, and that the host has learnt that so much is done.
  Clock given_to(void* stream);
  void host_knows(const Clock& done);
  /// What the calling thread does itself now, as work of the default stream: after what that was given before.
  void do_on_default_stream(const std::string& what, const std::vector<Access>& accesses);

  /// Work that will not end by itself is waited for by nobody but those who ask for it.
  void count_stuck(int change);
  /// Something a test or the end of the program must hear of, besides the checks here. Returns unknown_status.
  Status complain(const std::string& what);
  /// Counts what must be given back besides memory, streams and events.
  void count_communicator(int change);

  std::string take_complaint(); ///< the first; forgets all, and who used which memory
  void at_exit(int status);
  std::string text(Status status) const;

private:
  Machine();
  Status fail(Status status, std::string words);
  Status found(const std::string& what); ///< under the lock
  Stream* find_stream(void* handle);
  Event* find_event(void* handle);
  Stream& new_stream(const std::string& name, int device);
  void give(Stream& stream, std::function<void()> work);
  void run(Stream& stream);
  void wait_until_idle(std::unique_lock<std::mutex>& lock, const Stream& stream);
  std::string check_memory(const Access& access) const;
  Status start(Stream& stream, const std::string& what, const std::vector<Access>& accesses);
  bool is_pinned(const void* memory, std::size_t bytes) const;
  std::string left_behind() const;

  int devices_ = 0;
  int first_ = 0;
  int driver_version_ = 0;
  int capability_ = 0;
  std::size_t free_bytes_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Order order_;
  std::map<int, Stream*> default_streams_;
  std::map<void*, std::unique_ptr<Stream>> streams_; ///< destroyed ones too, so that no address comes again
  std::map<void*, std::unique_ptr<Event>> events_;
  std::map<std::uintptr_t, Block> blocks_; ///< freed ones too
  int communicators_ = 0;
  int stuck_ = 0;
  std::vector<std::string> complaints_;
};

/// The calling thread's GPU.
int& current_device();

} // namespace fake_cuda
