#pragma once
// A collective in which one rank of each class is run and stands for all ranks of that class.

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// A link of which every member of a class has one like it.
struct MemberLink {
  std::string name; ///< port-out, port-in, nic-out, nic-in
  double rate_Bps = 0;
};

/// `messages` alike pass the link at a time, of which one is run.
struct MemberCrossing {
  int link = 0;
  int messages = 1;
};

/// The way of a message from one class to another.
struct MemberRoute {
  int from = 0;
  int to = 0;
  std::vector<MemberCrossing> links;
  double latency_s = 0; ///< delays a message, and holds no link
};

/// Ranks of the schedule are classes.
struct ClassSchedule {
  int classes = 0;
  std::vector<MemberLink> links;
  std::vector<MemberRoute> routes;
  Schedule schedule;
  int chunks = 0; ///< of the whole collective, alike and one after another; the schedule may have fewer
};

} // namespace ddlsim
