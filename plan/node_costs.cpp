#include "plan/node_costs.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

constexpr double seconds_an_hour = 3600;
constexpr double hours_a_year = 8766;
constexpr double joules_a_kwh = 3.6e6;
/// Power of a whole node over that of its GPUs. A DGX-1 draws at most 3,500 W with eight V100 of 300 W (NVIDIA, DGX-1
/// data sheet, 2017).
constexpr double node_over_gpus = 3500.0 / (8 * 300);

void set_price(NodeCosts& costs, const CandidatePrice& price) {
  switch (price.kind) {
  case PriceKind::on_demand:
  case PriceKind::reserved:
    costs.usd_per_hour = price.usd;
    costs.price_text = fmt::format("{:g} USD a node-hour, {}", price.usd, to_text(price.kind));
    return;
  case PriceKind::purchase:
    costs.usd_per_hour = price.usd / (price.years * hours_a_year);
    costs.price_text = fmt::format("{:g} USD a node, written off over {:g} years", price.usd, price.years);
    costs.energy_is_extra = true;
    return;
  case PriceKind::owned:
    costs.usd_per_hour = 0;
    costs.price_text = "owned: energy only";
    costs.energy_is_extra = true;
    return;
  }
}

/// The newest hourly price in a cluster's file; null if there is none.
const NodePrice* newest_by_the_hour(const Cluster& cluster) {
  const NodePrice* newest = nullptr;
  for (const auto& price : cluster.prices)
    if (price.kind == PriceKind::on_demand && (newest == nullptr || price.date > newest->date)) newest = &price;
  return newest;
}

void set_power(NodeCosts& costs, const Cluster& cluster, const Gpu& gpu) {
  costs.power_w = cluster.node_power_w;
  costs.power_text = fmt::format("{:.0f} W a node, by the cluster's file", costs.power_w);
  if (costs.power_w > 0) return;
  costs.power_w = node_over_gpus * cluster.gpus_per_node * gpu.power_w;
  costs.power_text =
      fmt::format("{:.0f} W a node: {} x {:g} W of {}, times {:.2f} for what is around them, as in a DGX-1",
                  costs.power_w, cluster.gpus_per_node, gpu.power_w, gpu.name, node_over_gpus);
  if (costs.power_w <= 0) costs.power_text = "no power: the catalogue has none of its GPU";
}

} // namespace

NodeCosts node_costs(const PlanCandidate& candidate, const Cluster& cluster, const Gpu& gpu) {
  NodeCosts costs;
  costs.price_text = "no price: neither the request nor the cluster's file has one by the hour";
  set_power(costs, cluster, gpu);
  if (candidate.price) {
    set_price(costs, *candidate.price);
    if (const auto& source = candidate.price->source; !source.empty()) costs.price_text += fmt::format(" ({})", source);
  } else if (const auto* price = newest_by_the_hour(cluster)) {
    set_price(costs, {price->kind, price->usd, 0, ""});
    costs.price_date = price->date;
    costs.price_text += fmt::format(", {}, by the cluster's file", price->date);
  }
  return costs;
}

double room_power_w(const NodeCosts& costs, int nodes, const EnergyRules& energy) {
  return costs.power_w * nodes * energy.pue;
}

double energy_kwh(const NodeCosts& costs, int nodes, double time_s, const EnergyRules& energy) {
  return room_power_w(costs, nodes, energy) * time_s / joules_a_kwh;
}

std::optional<double> cost_usd(const NodeCosts& costs, int nodes, double time_s, const EnergyRules& energy) {
  if (!costs.usd_per_hour) return std::nullopt;
  const double nodes_usd = *costs.usd_per_hour * nodes * time_s / seconds_an_hour;
  if (!costs.energy_is_extra) return nodes_usd;
  return nodes_usd + energy.usd_per_kwh * energy_kwh(costs, nodes, time_s, energy);
}

} // namespace ddlsim
