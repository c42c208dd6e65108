#pragma once

#include "trainer/communication/mpi_communicator.hpp"

#include <chrono>
#include <thread>

namespace ddltrain {
/// How a thread that asks MPI again and again waits in between: not at all for a while, since the next message is often
/// microseconds away, then it sleeps, since ranks may be more than cores and compute needs them. It never yields: on a
/// busy machine that gives away milliseconds, while a sleeper is woken at once.
class PollPause {
public:
  void found() { idle_polls_ = 0; }

  void found_nothing() {
    if (++idle_polls_ > kPolls) std::this_thread::sleep_for(kSleep);
  }

private:
  static constexpr int kPolls = 20;                             ///< some 10 us of asking
  static constexpr auto kSleep = std::chrono::microseconds(20); ///< below the time of a small message over TCP

  int idle_polls_ = 0;
};

// Ring all-reduce, drawn first and run afterwards.

/// Elements [first, first + count) of the buffer.
struct Slice {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// What one rank does in one step: send a slice to the next rank and receive one from the one before, at once.
struct RingStep {
  Slice send;
  Slice receive;
  bool add = false; ///< to what is there (reduce-scatter); else in its place (all-gather)
};

/// The 2 (ranks - 1) steps of `rank` for a buffer of `count` elements in `ranks` slices that differ by one element at
/// most: reduce-scatter, after which each rank has the whole sum of one slice, then all-gather. Patarasuk and Yuan,
/// J. Parallel Distrib. Comput. 69 (2009): each rank sends 2 (ranks - 1) / ranks of the buffer, the least possible.
std::vector<RingStep> ring_steps(int rank, int ranks, std::size_t count);

/// The sum over the ranks in place of each rank's elements, in host memory, by those steps. Slice s is summed in the
/// order of ranks s, s+1, ... on one rank and copied, so all ranks hold the same bits. `scratch` is memory for
/// one slice, kept by the caller between calls. Uses tag 0.
void ring_all_reduce(MpiCommunicator& ranks, float* data, std::size_t count, std::vector<float>& scratch);

} // namespace ddltrain
