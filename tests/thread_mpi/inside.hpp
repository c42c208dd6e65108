#pragma once
// What the two halves of this MPI share: groups, the spin lock that the sanitizer does not see, and how it is told
// what a message orders. Sources that include this are compiled without the sanitizer.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mpi.h>
#include <thread>
#include <vector>

extern "C" {
__attribute__((weak)) void __tsan_acquire(void* place); // NOLINT: the sanitizer's name
__attribute__((weak)) void __tsan_release(void* place); // NOLINT: the same
}

namespace thread_mpi {

/// What happened before a `release` of the place has happened before whatever follows an `acquire` of it.
inline void acquire(void* place) {
  if (__tsan_acquire != nullptr) __tsan_acquire(place);
}
inline void release(void* place) {
  if (__tsan_release != nullptr) __tsan_release(place);
}

inline void pause() {
  std::this_thread::yield();
}

/// Always compiled into its caller, as std::atomic<bool> is not: a copy that the sanitizer sees would be shared.
using Flag = std::atomic<int>;

class SpinLock {
public:
  void lock() {
    while (taken_.exchange(1, std::memory_order_acquire) != 0) pause();
  }
  void unlock() { taken_.store(0, std::memory_order_release); }

private:
  Flag taken_ = 0;
};

inline std::size_t bytes_of(MPI_Datatype type) {
  switch (type) {
  case MPI_CHAR:
    return sizeof(char);
  case MPI_INT:
    return sizeof(int);
  case MPI_INT64_T:
    return sizeof(std::int64_t);
  case MPI_FLOAT:
    return sizeof(float);
  case MPI_DOUBLE:
    return sizeof(double);
  case MPI_DATATYPE_NULL:
    break;
  }
  return 0;
}

inline std::size_t bytes_of(int count, MPI_Datatype type) {
  return static_cast<std::size_t>(count) * bytes_of(type);
}

/// One collective call: what each rank brought. The last to come does the work of all.
struct Meeting {
  explicit Meeting(int ranks) : parts(static_cast<std::size_t>(ranks)) {}

  struct Part {
    const void* send = nullptr;
    void* receive = nullptr;
    const int* counts = nullptr; ///< of the ranks, where they differ
    const int* offsets = nullptr;
    int count = 0;
    int number = 0;             ///< a colour
    ThreadComm* made = nullptr; ///< of what is made of a group
  };

  std::vector<Part> parts; ///< by rank
  int came = 0;
  int left = 0;
  Flag done = 0;
};

/// Ranks that talk to each other. Lives to the end of the program: a message may be on its way when all have left.
struct Group {
  explicit Group(int ranks) : size(ranks), waiting(static_cast<std::size_t>(ranks)) {}
  ~Group(); ///< with messages that nobody took
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  int size;
  SpinLock lock;
  std::vector<std::list<ThreadRequest*>> waiting; ///< by receiver: sends and receives not yet matched, in their order
  std::list<Meeting> meetings;                    ///< collective calls that not all ranks have left, in their order
  std::size_t over = 0;                           ///< collective calls that all have left
};

} // namespace thread_mpi

/// One rank's handle of a group.
struct ThreadComm {
  thread_mpi::Group* group = nullptr;
  int rank = 0;
  std::size_t collectives = 0;        ///< calls so far
  thread_mpi::Flag in_collective = 0; ///< one thread at a time, as MPI demands
};

namespace thread_mpi {

/// MPI_COMM_WORLD is another for each rank.
ThreadComm& own(MPI_Comm comm);
void set_own_world(ThreadComm* world);

} // namespace thread_mpi
