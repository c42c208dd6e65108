#pragma once

#include "trainer/communication/mpi_communicator.hpp"

// Ring all-reduce, drawn first and run afterwards.

namespace ddltrain {

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

/// Its halves alone, where rank r ends with, or begins with, slice r of the buffer: ranks - 1 steps each.
std::vector<RingStep> ring_reduce_scatter_steps(int rank, int ranks, std::size_t count);
std::vector<RingStep> ring_all_gather_steps(int rank, int ranks, std::size_t count);

/// The sum over the ranks in place of each rank's elements, in host memory, by those steps. Slice s is summed in the
/// order of ranks s, s+1, ... on one rank and copied, so all ranks hold the same bits. `scratch` is memory for
/// one slice, kept by the caller between calls. Uses tag 0.
void ring_all_reduce(MpiCommunicator& ranks, float* data, std::size_t count, std::vector<float>& scratch);
/// The same for the halves. After a reduce-scatter slice `rank` holds the sum; other slices hold parts of sums.
void ring_reduce_scatter(MpiCommunicator& ranks, float* data, std::size_t count, std::vector<float>& scratch);
void ring_all_gather(MpiCommunicator& ranks, float* data, std::size_t count);

} // namespace ddltrain
