#pragma once
// What one node costs an hour and draws, and what a run on several nodes costs.

#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/plan_request.hpp"

#include <optional>
#include <string>

namespace ddlsim {

struct NodeCosts {
  std::optional<double> usd_per_hour; ///< nothing: no price is known
  bool energy_is_extra = false;       ///< bought or owned: who pays the node pays its energy too
  double power_w = 0;                 ///< of a busy node; 0: not known
  std::string price_text;             ///< what it is and where it is from, or why there is none
  std::string power_text;
};

/// Price: the candidate's own, else the newest by the hour of the cluster's file. Power: of the cluster's file, else
/// that of the GPUs by the catalogue, and of what a node has around them.
NodeCosts node_costs(const PlanCandidate& candidate, const Cluster& cluster, const Gpu& gpu);

/// What all nodes draw in a room of that power usage effectiveness; 0: not known.
double room_power_w(const NodeCosts& costs, int nodes, const EnergyRules& energy);

/// Joules of a run in kilowatt-hours; 0: not known.
double energy_kwh(const NodeCosts& costs, int nodes, double time_s, const EnergyRules& energy);

/// Dollars of a run: rent, or the part of a purchase that it uses up, and energy where that is paid apart. Nothing
/// where no price is known.
std::optional<double> cost_usd(const NodeCosts& costs, int nodes, double time_s, const EnergyRules& energy);

} // namespace ddlsim
