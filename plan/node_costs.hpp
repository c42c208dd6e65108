#pragma once
// Price and power of one node, and the cost of a run on several nodes.

#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/plan_request.hpp"

#include <optional>
#include <string>

namespace ddlsim {

struct NodeCosts {
  std::optional<double> usd_per_hour; ///< price of a node and hour in dollars; empty: not known
  bool energy_is_extra = false;       ///< whether the node is bought or owned, so that its user pays for energy too
  double power_w = 0;                 ///< power of a busy node; 0: not known
  std::string price_date{};           ///< date of the price in the cluster's file; "" for a candidate's own price
  std::string price_text;             ///< the price with its source, or why there is none
  std::string power_text;
};

/// Returns the costs of a candidate's node. The price is the candidate's own, else the newest hourly price in the
/// cluster's file. The power is that in the cluster's file, else the catalogue's power of the GPUs plus that of the
/// rest of a node.
NodeCosts node_costs(const PlanCandidate& candidate, const Cluster& cluster, const Gpu& gpu);

/// Power of all nodes in watts, multiplied by the room's power usage effectiveness; 0: not known.
double room_power_w(const NodeCosts& costs, int nodes, const EnergyRules& energy);

/// Energy of a run in kilowatt-hours; 0: not known.
double energy_kwh(const NodeCosts& costs, int nodes, double time_s, const EnergyRules& energy);

/// Cost of a run in dollars: rent, or the part of the purchase price that the run uses up, plus energy if it is paid
/// separately. Nothing if no price is known.
std::optional<double> cost_usd(const NodeCosts& costs, int nodes, double time_s, const EnergyRules& energy);

} // namespace ddlsim
