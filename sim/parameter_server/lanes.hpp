#pragma once
// The clock of an exchange whose messages move in lanes. The model by shards and the model by copies share it.

#include <cstddef>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <vector>

namespace ddlsim {

inline constexpr double never_s = std::numeric_limits<double>::infinity();
/// A message with no more than this share of its size left has ended: only rounding keeps it from its end.
inline constexpr double rounding_share = 1e-12;

/// A lane whose next shard may start at a known time.
struct Wait {
  double until_s = 0;
  std::size_t lane = 0;
  bool operator>(const Wait& other) const { return std::tie(until_s, lane) > std::tie(other.until_s, other.lane); }
};
using Waits = std::priority_queue<Wait, std::vector<Wait>, std::greater<>>; ///< waits, the earliest first

/// Moves from one change of the rates to the next until no lane has anything left to send. A model has `lanes` and
/// these functions:
///   wait_for_head(model, lane)  makes the lane wait for its first shard
///   begin_heads(model)          starts the messages that may start now, and shares the links among all under way
///   next_change_s(model)        returns the time until a message ends or a waiting one may start
///   advance(model, wait_s)      lets that time pass, and ends the messages that are finished
template <class Model> void run_lanes(Model& model) {
  for (std::size_t lane = 0; lane < model.lanes.size(); ++lane) {
    wait_for_head(model, lane);
  }
  begin_heads(model);
  double wait_s = next_change_s(model);
  while (wait_s < never_s) {
    advance(model, wait_s);
    begin_heads(model);
    wait_s = next_change_s(model);
  }
}

} // namespace ddlsim
