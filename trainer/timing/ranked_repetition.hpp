#pragma once
// Repetitions that all ranks of a job make together.

#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/communication/node_map.hpp"
#include "trainer/records/statistics.hpp"

#include <functional>

namespace ddltrain {

/// The ranks of the job and where they run.
struct RankedJob {
  MpiCommunicator& ranks;
  NodeMap nodes;
};

struct RankedSamples {
  std::vector<double> times_s; ///< of each repetition the longest time any rank took; the same on every rank
  double others_cores = 0;     ///< on the node that was disturbed most; negative: too short to tell
};

/// Every rank calls it with its own `once`, which returns the seconds it took, 0 when it took no part. A barrier comes
/// before each repetition. All ranks stop after the same one.
RankedSamples repeat_together(const RankedJob& job, const std::function<double()>& once, const RepeatLimits& limits);

} // namespace ddltrain
