#pragma once
// Repetitions that all ranks of a job make together.

#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/communication/mpi_session.hpp"
#include "trainer/records/disturbance.hpp"
#include "trainer/records/statistics.hpp"
#include "trainer/timing/measure_options.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace ddltrain {
/// The ranks of the job and where they run.
struct RankedJob {
  MpiCommunicator& ranks;
  NodeMap nodes;
};

struct RankedSamples {
  std::vector<double> times_s; ///< of each repetition the longest time any rank took; the same on every rank
  OthersUse others;            ///< on the node that was disturbed most
};

/// Every rank calls it with its own `once`, which returns the seconds it took, 0 when it took no part. A barrier comes
/// before each repetition. All ranks stop after the same one.
RankedSamples repeat_together(const RankedJob& job, const std::function<double()>& once, const RepeatLimits& limits);

// Collectives, point-to-point messages and one server, timed over message sizes.

/// A way to sum a buffer over the ranks.
struct TimedAllReduce {
  std::string algorithm; ///< as records name it: ring, unknown
  std::string library;   ///< ddltrain's ring over Open MPI is of the library "open-mpi" too
  std::string label;     ///< in tables and series: ring, mpi, nccl
  float* data = nullptr; ///< of the largest size, where `run` works: host or device
  std::function<void(float* data, std::size_t count)> run;
};

/// As nccl-tests defines them (doc/PERFORMANCE.md): the algorithm bandwidth is size over time, the bus bandwidth of an
/// all-reduce is 2 (n - 1) / n times that.
struct Bandwidths {
  double algorithm_Bps = 0;
  double bus_Bps = 0;
};
Bandwidths all_reduce_bandwidths(double size_bytes, double time_s, int ranks);

/// Times one all-reduce of `size_bytes`. Every rank calls it; every rank gets the record. The buffer is left at zero.
CollectiveRecord measure_all_reduce(const RankedJob& job, const TimedAllReduce& way, std::int64_t size_bytes,
                                    const MeasureOptions& options);

/// Half of a round trip between rank 0 and `peer`. Small messages go several times to and fro in one repetition.
PointToPointRecord measure_link(const RankedJob& job, int peer, std::int64_t size_bytes, const MeasureOptions& options);

enum class ServerWork { push, pull, push_pull };

/// Bytes a second in and out of one server, rank 0, while ranks 1 to `workers` push, pull, or push and then pull
/// `size_bytes` each. The server sums and updates as a real one does.
ServerRecord measure_server(const RankedJob& job, ServerWork work, int workers, std::int64_t size_bytes,
                            const MeasureOptions& options);

} // namespace ddltrain
