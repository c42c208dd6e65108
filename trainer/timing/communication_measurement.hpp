#pragma once
// Repetitions that all ranks of a job make together.

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
  Watchdog* watchdog = nullptr; ///< hears of each repetition, where there is one
};

struct RankedSamples {
  std::vector<double> times_s; ///< of each repetition the longest time any rank took; the same on every rank
  OtherCpuUse others;          ///< on the node that was disturbed most
};

/// Which time a repetition has whose ranks took different ones.
enum class OverRanks { slowest, mean };

/// Every rank calls it with its own `once`, which returns the seconds it took, 0 when it took no part. A barrier comes
/// before each repetition. All ranks stop after the same one.
RankedSamples repeat_together(const RankedJob& job, const std::function<double()>& once, const RepeatLimits& limits,
                              OverRanks over_ranks = OverRanks::slowest);

/// How many operations to do between two readings of the clock, so that neither the clock nor leaving the barrier
/// counts: as many as take reading_s, the same on all ranks. timed: does so many, and returns the seconds of one.
int operations_in_reading(const RankedJob& job, const std::function<double(int operations)>& timed);

/// Against 25 ns of the clock and some microseconds between the ranks' leaving a barrier.
inline constexpr double reading_s = 1e-3;

/// What records of transfers share. timing: how a repetition is timed.
RecordHead transfer_head(const RankedJob& job, const RankedSamples& samples, const MeasureOptions& options,
                         const std::string& series, const std::string& timing);

// Point-to-point messages and one server, timed over message sizes.

/// Which messages are under way at the same time.
struct LinkTraffic {
  int pairs = 1;          ///< of ranks: the first ones with the last ones
  bool both_ways = false; ///< each sends while it receives
};

/// The rank that `rank` exchanges messages with: of n ranks, i with n - pairs + i. None beyond the pairs. The first and
/// the last with one pair. pairs: n / 2 at most.
std::optional<int> partner_of(int rank, int ranks, int pairs);

/// Seconds of a message one way, on the slowest pair: half a round trip, or with both ways a message each way at once.
PointToPointRecord measure_link(const RankedJob& job, const LinkTraffic& traffic, std::int64_t size_bytes,
                                const MeasureOptions& options);

enum class ServerWork { push, pull, push_pull };

/// Bytes a second in and out of one server, rank 0, while ranks 1 to `workers` push, pull, or push and then pull
/// `size_bytes` each. The server sums and updates as a real one does.
ServerRecord measure_server(const RankedJob& job, ServerWork work, int workers, std::int64_t size_bytes,
                            const MeasureOptions& options);

} // namespace ddltrain
