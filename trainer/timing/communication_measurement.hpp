#pragma once
// Repetitions that all ranks of a job do together.

#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/communication/mpi_session.hpp"
#include "trainer/communication/watchdog.hpp"
#include "trainer/records/disturbance.hpp"
#include "trainer/records/statistics.hpp"
#include "trainer/timing/measure_options.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ddltrain {
/// The ranks of the job and where they run.
struct RankedJob {
  MpiCommunicator& ranks;
  NodeMap nodes;
  Watchdog* watchdog = nullptr; ///< told of each repetition; may be null
};

struct RankedSamples {
  std::vector<double> times_s; ///< for each repetition, the longest time of any rank; the same on every rank
  OtherCpuUse others;          ///< load by other programs on the node where it was highest
};

/// How the time of a repetition follows from those of the ranks.
enum class OverRanks { slowest, mean };

/// Every rank calls it with its own `once`, which returns its time in seconds, or 0 when the rank took no part. A
/// barrier comes before each repetition. All ranks stop after the same repetition.
RankedSamples repeat_together(const RankedJob& job, const std::function<double()>& once, const RepeatLimits& limits,
                              OverRanks over_ranks = OverRanks::slowest);

/// How many operations to do between two readings of the clock, so that neither the clock nor leaving the barrier
/// counts: as many as take reading_s, the same on all ranks. timed: does so many, and returns the seconds of one.
int operations_in_reading(const RankedJob& job, const std::function<double(int operations)>& timed);

/// Long against the 25 ns of the clock and the some microseconds between the ranks' ends of a barrier.
inline constexpr double reading_s = 1e-3;

/// Returns the head that records of transfers share. timing: how a repetition is timed.
RecordHead transfer_head(const RankedJob& job, const RankedSamples& samples, const MeasureOptions& options,
                         const std::string& series, const std::string& timing);

// Times point-to-point messages and one server over message sizes.

/// Which messages are under way at the same time.
struct LinkTraffic {
  int pairs = 1;          ///< pairs of ranks: the first ranks with the last ones
  bool both_ways = false; ///< whether each rank sends while it receives
};

/// The rank that `rank` exchanges messages with: of n ranks, i with n - pairs + i. None beyond the pairs. The first and
/// the last with one pair. pairs: n / 2 at most.
std::optional<int> partner_of(int rank, int ranks, int pairs);

/// Returns the seconds of a message one way on the slowest pair: half a round trip, or with both_ways the time of a
/// message each way at once.
PointToPointRecord measure_link(const RankedJob& job, const LinkTraffic& traffic, std::int64_t size_bytes,
                                const MeasureOptions& options);

enum class ServerWork { push, pull, push_pull };

/// Returns the bytes per second in and out of one server, rank 0, while ranks 1 to `workers` push, pull, or push and
/// then pull `size_bytes` each. The server sums and updates as a real one does.
ServerRecord measure_server(const RankedJob& job, ServerWork work, int workers, std::int64_t size_bytes,
                            const MeasureOptions& options);

} // namespace ddltrain
