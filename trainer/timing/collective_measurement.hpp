#pragma once
// Times collectives over message sizes, on all ranks of a job together.

#include "trainer/timing/communication_measurement.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ddltrain {

enum class Collective { all_reduce, reduce_scatter, all_gather, broadcast };

/// Returns the name in records: "all_reduce".
std::string text_of(Collective collective);
/// Returns the collective of a word of the command line, "all-reduce". Throws UserError for another word.
Collective collective_named(const std::string& text);

/// Bandwidths as nccl-tests define them (doc/PERFORMANCE.md): the algorithm bandwidth is size over time; the bus
/// bandwidth is 2 (n - 1) / n times that for an all-reduce, (n - 1) / n times for reduce-scatter and all-gather, and
/// the same for a broadcast. The size is that of the whole buffer: the input of a rank for reduce-scatter, its output
/// for all-gather.
struct Bandwidths {
  double algorithm_Bps = 0;
  double bus_Bps = 0;
};
Bandwidths bandwidths_of(Collective collective, double size_bytes, double time_s, int ranks);

/// Returns the number of elements of a buffer of so many bytes: a multiple of the number of ranks where each rank has a
/// share, and at least one element each.
std::size_t elements_of(Collective collective, std::int64_t size_bytes, int ranks);

/// What runs collectives, on its own buffer of the largest size.
struct CollectiveBackend {
  std::string algorithm; ///< name of the algorithm in records: ring, unknown
  std::string library;   ///< name of the library in records; ddltrain's ring over Open MPI has "open-mpi" too
  std::string label;     ///< name in tables and series: ring, mpi, nccl
  std::vector<Collective> has;
  /// Runs `times` operations on `count` elements, one after another, and returns when all are done. queued: the device
  /// is given the next operation without waiting for the one before.
  std::function<void(Collective collective, std::size_t count, int times, bool queued)> run;
  std::function<void(const std::vector<float>& elements)> fill; ///< sets the front of the buffer
  /// Returns the result of an operation on this rank: its share for a reduce-scatter, else all elements.
  std::function<std::vector<float>(Collective collective, std::size_t count)> result;
};

/// Returns the value that rank `rank` gives element `index`, chosen so that each result is known and exact in fp32.
float given_element(int rank, std::size_t index);
/// Returns the expected value of element `index` of a whole buffer of `count` elements after the operation.
float expected_element(Collective collective, int ranks, std::size_t count, std::size_t index);

/// Throws RunError naming rank, size and the first element of `result` that is not as expected.
void check_result(Collective collective, const std::string& label, int rank, int ranks, std::size_t count,
                  const std::vector<float>& result);

/// How operations are timed.
struct CollectiveTiming {
  /// 0: of small messages several operations lie between two readings of the clock, each finished before the next, and
  /// a repetition takes as long as on the slowest rank. Above: so many queued operations, and the mean over the ranks,
  /// as nccl-tests has it (it takes 20).
  int queued = 0;
};

/// Times one operation, and then checks one on known elements. Every rank must call it; every rank gets the record. The
/// buffer is zero afterwards.
CollectiveRecord measure_collective(const RankedJob& job, const CollectiveBackend& backend, Collective collective,
                                    std::int64_t size_bytes, const CollectiveTiming& timing,
                                    const MeasureOptions& options);

} // namespace ddltrain
