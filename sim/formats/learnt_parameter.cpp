#include "sim/formats/learnt_parameter.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace ddlsim {
namespace {

// How much sites may differ, by kind of parameter, in ln x. These were chosen before any prior was estimated from
// sites.
constexpr double compute_share = 0.08; ///< the ratio of forward to backward follows from the arithmetic
constexpr double rate_share = 0.25;    ///< scatter of shares of a link's nominal rate
constexpr double software_rate = 0.45;
constexpr double latency = 0.5;
constexpr double software_cost = 0.8;
constexpr double variation = 0.7; ///< scatter of differences between equal nodes, and of the cost of overlap

constexpr double unbounded_value = std::numeric_limits<double>::infinity();
constexpr double above_line_rate = 1.15; ///< this value is above a nominal rate by more than the rate's rounding
constexpr double whole_slow_down = 1;    ///< compute takes twice as long beside communication

constexpr LearntParameter table[] = {
    {"forward_share", compute_share, 1},
    {"interference", variation, whole_slow_down},
    {"nic_efficiency", rate_share, above_line_rate},
    {"net_latency", latency, unbounded_value},
    {"intra_efficiency", rate_share, unbounded_value},
    {"operation_cost", software_cost, unbounded_value},
    {"sync_share", software_cost, 1, true},
    {"step_spread", variation, 1},
    {"server_process_rate", software_rate, unbounded_value, false, true},
    {"server_connection_rate", software_rate, unbounded_value, false, true},
};

} // namespace

const LearntParameter* learnt_parameter(const std::string& name) {
  const auto* found =
      std::find_if(std::begin(table), std::end(table), [&](const LearntParameter& row) { return name == row.name; });
  return found == std::end(table) ? nullptr : found;
}

} // namespace ddlsim
