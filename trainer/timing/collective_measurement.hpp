#pragma once
// Collectives timed over message sizes, by all ranks of a job together.

#include "trainer/timing/communication_measurement.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ddltrain {

enum class Collective { all_reduce, reduce_scatter, all_gather, broadcast };

/// As records name it: "all_reduce".
std::string text_of(Collective collective);
/// Of "all-reduce", as typed. Throws UserError for another word.
Collective collective_named(const std::string& text);

/// As nccl-tests define them (doc/PERFORMANCE.md): the algorithm bandwidth is size over time; the bus bandwidth is
/// 2 (n - 1) / n times that for an all-reduce, (n - 1) / n times for reduce-scatter and all-gather, and the same for a
/// broadcast. Sizes are of the whole buffer: what a rank gives to a reduce-scatter, what it gets of an all-gather.
struct Bandwidths {
  double algorithm_Bps = 0;
  double bus_Bps = 0;
};
Bandwidths bandwidths_of(Collective collective, double size_bytes, double time_s, int ranks);

/// Elements of a buffer of so many bytes: whole shares for all ranks where a rank has a share, at least one each.
std::size_t elements_of(Collective collective, std::int64_t size_bytes, int ranks);

/// What runs collectives, on its own buffer of the largest size.
struct CollectiveBackend {
  std::string algorithm; ///< as records name it: ring, unknown
  std::string library;   ///< ddltrain's ring over Open MPI is of the library "open-mpi" too
  std::string label;     ///< in tables and series: ring, mpi, nccl
  std::vector<Collective> has;
  /// `times` operations on `count` elements, one after another; returns when all are done. queued: without waiting for
  /// one before giving the next to the device.
  std::function<void(Collective collective, std::size_t count, int times, bool queued)> run;
  std::function<void(const std::vector<float>& elements)> fill; ///< the buffer's front
  /// What this rank holds after an operation: its share of a reduce-scatter, else all elements.
  std::function<std::vector<float>(Collective collective, std::size_t count)> result;
};

/// What rank `rank` fills element `index` with, so that each result is known and exact in fp32.
float given_element(int rank, std::size_t index);
/// What element `index` of a whole buffer of `count` is afterwards.
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

/// Times one operation, and then checks one on known elements. Every rank calls it; every rank gets the record. The
/// buffer is left at zero.
CollectiveRecord measure_collective(const RankedJob& job, const CollectiveBackend& backend, Collective collective,
                                    std::int64_t size_bytes, const CollectiveTiming& timing,
                                    const MeasureOptions& options);

} // namespace ddltrain
