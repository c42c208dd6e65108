#pragma once

#include "trainer/communication/mpi_communicator.hpp"

// A ring all-reduce as a list of steps, which is made first and run afterwards.

namespace ddltrain {

/// The elements [first, first + count) of the buffer.
struct Slice {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// What one rank does in one step: it sends a slice to the next rank, and at the same time receives one from the rank
/// before.
struct RingStep {
  Slice send;
  Slice receive;
  /// whether the received slice is added to the rank's own (reduce-scatter) or replaces it (all-gather)
  bool add = false;
};

/// Returns the 2 (ranks - 1) steps of `rank` for a buffer of `count` elements in `ranks` slices, which differ by one
/// element at most. First comes a reduce-scatter, after which each rank has the whole sum of one slice, then an
/// all-gather. Each rank sends 2 (ranks - 1) / ranks of the buffer, which is the least possible (Patarasuk and Yuan, J.
/// Parallel Distrib. Comput. 69, 2009).
std::vector<RingStep> ring_steps(int rank, int ranks, std::size_t count);

/// Return the ranks - 1 steps of each half alone, where rank r ends with slice r of the buffer, or begins with it.
std::vector<RingStep> ring_reduce_scatter_steps(int rank, int ranks, std::size_t count);
std::vector<RingStep> ring_all_gather_steps(int rank, int ranks, std::size_t count);

/// Puts the sum over the ranks in place of each rank's elements in host memory, by those steps. Slice s is summed in
/// the order of ranks s, s+1, ... on one rank and then copied, so all ranks hold the same bits. `scratch` is memory for
/// one slice, which the caller keeps between calls. It uses tag 0.
void ring_all_reduce(MpiCommunicator& ranks, float* data, std::size_t count, std::vector<float>& scratch);
/// Do the same for the halves. After a reduce-scatter slice `rank` holds the sum; other slices hold parts of sums.
void ring_reduce_scatter(MpiCommunicator& ranks, float* data, std::size_t count, std::vector<float>& scratch);
void ring_all_gather(MpiCommunicator& ranks, float* data, std::size_t count);

} // namespace ddltrain
