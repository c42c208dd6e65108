#pragma once
// Sums over the messages of a schedule.

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

namespace ddlsim {

/// True when every message sent is received, by the rank it was sent to.
inline bool every_message_arrives(const Schedule& schedule) {
  std::map<std::tuple<int, int, int>, long> open; // from, to, lane
  for (const Program& program : schedule.programs) {
    for (const Step& step : program.steps) {
      for (const Send& send : step.sends) {
        ++open[{program.rank, send.to, send.lane}];
      }
      for (const Receive& receive : step.receives) {
        --open[{receive.from, program.rank, receive.lane}];
      }
    }
  }
  for (const auto& [message, left] : open)
    if (left != 0) return false;
  return !open.empty();
}

/// Bytes that leave each node.
inline std::vector<double> bytes_out_of_nodes(const Machine& machine, const Schedule& schedule) {
  std::vector<double> bytes(static_cast<std::size_t>(machine.nodes()));
  for (const Program& program : schedule.programs) {
    const int node = machine.node_of(program.rank);
    for (const Step& step : program.steps) {
      for (const Send& send : step.sends) {
        if (machine.node_of(send.to) != node) bytes[static_cast<std::size_t>(node)] += send.size_bytes;
      }
    }
  }
  return bytes;
}

} // namespace ddlsim
