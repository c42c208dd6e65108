#pragma once
// A collective in which SimGrid runs one rank of each class, which stands for all ranks of that class.

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// A link that each member of a class has for itself.
struct MemberLink {
  std::string name; ///< port-out, port-in, nic-out, nic-in
  double rate_Bps = 0;
};

/// A link that a message crosses, and how many equal messages cross it at the same time. SimGrid runs one of them.
struct MemberCrossing {
  int link = 0;
  int messages = 1;
};

/// The links that a message from one class to another crosses.
struct MemberRoute {
  int from = 0;
  int to = 0;
  std::vector<MemberCrossing> links;
  double latency_s = 0; ///< delay of a message; it occupies no link
};

/// A schedule whose ranks are classes, and the links between them.
struct ClassSchedule {
  int classes = 0;
  std::vector<MemberLink> links;
  std::vector<MemberRoute> routes;
  Schedule schedule;
  int chunks = 0; ///< number of equal chunks in the whole collective, one after another; the schedule may have fewer
};

} // namespace ddlsim
