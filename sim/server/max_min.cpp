#include "sim/server/max_min.hpp"

#include <algorithm>
#include <limits>

namespace ddlsim {
namespace {

/// Links whose shares differ by less fill at one moment: the difference is rounding. Relative.
constexpr double rounding_share = 1e-13;

} // namespace

MaxMin::MaxMin(double ceiling_Bps)
    : ceiling_Bps_(ceiling_Bps > 0 ? ceiling_Bps : std::numeric_limits<double>::infinity()) {}

std::size_t MaxMin::add_link(double rate_Bps) {
  links_.push_back({rate_Bps, {}});
  return links_.size() - 1;
}

std::size_t MaxMin::add_flow(const std::vector<Crossing>& crossings) {
  for (const Crossing& crossing : crossings) {
    links_[crossing.link].flows.push_back(flows_.size());
  }
  flows_.push_back({crossings});
  return flows_.size() - 1;
}

void MaxMin::set_active(std::size_t flow, bool active) {
  if (flows_[flow].active == active) return;
  flows_[flow].active = active;
  const double sign = active ? 1.0 : -1.0;
  active_flows_ = active ? active_flows_ + 1 : active_flows_ - 1;
  for (const Crossing& crossing : flows_[flow].crossings) {
    links_[crossing.link].active += sign * crossing.flows;
  }
}

void MaxMin::reopen() {
  open_flows_ = active_flows_;
  for (Flow& flow : flows_) {
    flow.settled = !flow.active;
  }
  open_links_.clear();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    links_[i].open = links_[i].active;
    links_[i].left_Bps = links_[i].rate_Bps;
    if (links_[i].open > 0) open_links_.push_back(i);
  }
}

double MaxMin::narrowest_Bps() {
  std::erase_if(open_links_, [&](std::size_t link) { return links_[link].open <= 0; });
  double narrowest_Bps = ceiling_Bps_;
  for (const std::size_t link : open_links_) {
    narrowest_Bps = std::min(narrowest_Bps, links_[link].share_Bps());
  }
  return narrowest_Bps;
}

void MaxMin::settle_flow(Flow& flow, double rate_Bps) {
  flow.rate_Bps = rate_Bps;
  flow.settled = true;
  --open_flows_;
  for (const Crossing& crossing : flow.crossings) {
    links_[crossing.link].open -= crossing.flows;
    links_[crossing.link].left_Bps -= crossing.flows * rate_Bps;
  }
}

void MaxMin::settle() {
  reopen();
  double level_Bps = 0;
  while (open_flows_ > 0) {
    level_Bps = std::max(level_Bps, narrowest_Bps()); // it only rises; rounding could say otherwise
    const double full_below_Bps = level_Bps * (1 + rounding_share);
    const bool at_ceiling = full_below_Bps >= ceiling_Bps_;
    for (const std::size_t link : open_links_) {
      if (links_[link].open <= 0 || (!at_ceiling && links_[link].share_Bps() > full_below_Bps)) continue;
      for (const std::size_t flow : links_[link].flows) {
        if (!flows_[flow].settled) settle_flow(flows_[flow], level_Bps);
      }
    }
    if (!at_ceiling) continue;
    for (Flow& flow : flows_) { // also what crosses no link
      if (!flow.settled) settle_flow(flow, level_Bps);
    }
  }
}

} // namespace ddlsim
