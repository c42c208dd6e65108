#pragma once
// A part: one start of ddltrain on a number of nodes. A campaign is the sum of its parts.

#include "trainer/launch/campaign.hpp"

#include <string>
#include <vector>

namespace ddltrain {

struct Part {
  std::string run;                    ///< the run of the campaign it belongs to
  std::string name;                   ///< unique, fit for a file name: "ring-auto-n4-r2"
  std::string command;                ///< train, collectives, ...
  std::vector<std::string> arguments; ///< after `ddltrain`, without the output file
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;
  double time_limit_s = 600;
  double rate_Bps = 0; ///< testbed: of the links; 0: the launcher's
};

/// Every part, runs in the order of the file; within a run repeat by repeat, so that a slow change of the machine
/// spreads over all points instead of falling on one.
std::vector<Part> parts_of(const Campaign& campaign);

} // namespace ddltrain
