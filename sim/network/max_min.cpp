#include "sim/network/max_min.hpp"

#include <algorithm>
#include <limits>

namespace ddlsim {
namespace {

/// Two links count as full at the same moment when their shares differ by less than this, relatively: the difference is
/// rounding.
constexpr double rounding_share = 1e-13;

} // namespace

MaxMin::MaxMin(double ceiling_Bps)
    : ceiling_Bps_(ceiling_Bps > 0 ? ceiling_Bps : std::numeric_limits<double>::infinity()) {}

std::size_t MaxMin::add_link_set() {
  sets_.emplace_back();
  return sets_.size() - 1;
}

std::size_t MaxMin::add_link(double rate_Bps, std::size_t set) {
  links_.push_back({rate_Bps});
  links_.back().set = set;
  return links_.size() - 1;
}

std::size_t MaxMin::add_flow(const std::vector<Crossing>& crossings) {
  return add_flow(crossings, no_set, 0);
}

std::size_t MaxMin::add_flow(const std::vector<Crossing>& crossings, std::size_t set, double flows) {
  set_of_flow_.push_back(set);
  flows_on_set_.push_back(flows);
  place_in_set_.push_back(inactive);
  crossings_.insert(crossings_.end(), crossings.begin(), crossings.end());
  place_on_link_.resize(crossings_.size());
  first_.push_back(crossings_.size());
  rates_Bps_.push_back(0);
  place_.push_back(inactive);
  return place_.size() - 1;
}

double MaxMin::active_on(const Link& link) const {
  return link.active + (link.set == no_set ? 0 : sets_[link.set].active);
}

double MaxMin::open_on(const Link& link) const {
  return link.open + (link.set == no_set ? 0 : sets_[link.set].open);
}

double MaxMin::left_on_Bps(const Link& link) const {
  return link.left_Bps - (link.set == no_set ? 0 : sets_[link.set].settled_Bps);
}

double MaxMin::flows_on(std::size_t flow, std::size_t link) const {
  const std::size_t set = set_of_flow_[flow];
  double flows = set != no_set && links_[link].set == set ? flows_on_set_[flow] : 0;
  for (std::size_t i = first_[flow]; i < first_[flow + 1]; ++i)
    if (crossings_[i].link == link) flows += crossings_[i].flows;
  return flows;
}

void MaxMin::enter(std::size_t flow) {
  place_[flow] = active_.size();
  active_.push_back(flow);
  if (set_of_flow_[flow] != no_set) {
    LinkSet& set = sets_[set_of_flow_[flow]];
    set.active += flows_on_set_[flow];
    place_in_set_[flow] = set.members.size();
    set.members.push_back(flow);
  }
  for (std::size_t i = first_[flow]; i < first_[flow + 1]; ++i) {
    Link& link = links_[crossings_[i].link];
    link.active += crossings_[i].flows;
    place_on_link_[i] = link.members.size();
    link.members.push_back({flow, i});
  }
}

/// Removes a flow from the lists. In each list the last entry takes its place.
void MaxMin::leave(std::size_t flow) {
  active_[place_[flow]] = active_.back();
  place_[active_.back()] = place_[flow];
  active_.pop_back();
  place_[flow] = inactive;
  if (set_of_flow_[flow] != no_set) {
    LinkSet& set = sets_[set_of_flow_[flow]];
    set.active -= flows_on_set_[flow];
    set.members[place_in_set_[flow]] = set.members.back();
    place_in_set_[set.members.back()] = place_in_set_[flow];
    set.members.pop_back();
  }
  for (std::size_t i = first_[flow]; i < first_[flow + 1]; ++i) {
    Link& link = links_[crossings_[i].link];
    link.active -= crossings_[i].flows;
    link.members[place_on_link_[i]] = link.members.back();
    place_on_link_[link.members.back().crossing] = place_on_link_[i];
    link.members.pop_back();
  }
}

void MaxMin::set_active(std::size_t flow, bool active) {
  if (is_active(flow) == active) return;
  if (active) {
    enter(flow);
  } else {
    leave(flow);
  }
}

void MaxMin::reopen() {
  open_links_.clear();
  for (LinkSet& set : sets_) {
    set.open = set.active;
    set.settled_Bps = 0;
  }
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    if (active_on(link) <= 0) continue;
    link.open = link.active;
    link.left_Bps = link.rate_Bps;
    link.share_changed = true;
    open_links_.push_back(i);
  }
  open_flows_ = active_.size();
  for (const std::size_t flow : active_) {
    rates_Bps_[flow] = 0;
  }
}

/// The smallest share of an open link, B/s. The same pass removes links that no open flow crosses.
double MaxMin::narrowest_Bps() {
  double narrowest_Bps = ceiling_Bps_;
  std::size_t still_open = 0;
  for (const std::size_t i : open_links_) {
    Link& link = links_[i];
    const double open = open_on(link);
    if (open <= 0) continue;
    open_links_[still_open++] = i;
    if (link.share_changed || link.set != no_set) link.share_Bps = left_on_Bps(link) / open;
    link.share_changed = false;
    narrowest_Bps = std::min(narrowest_Bps, link.share_Bps);
  }
  open_links_.resize(still_open);
  return narrowest_Bps;
}

void MaxMin::settle_flow(std::size_t flow, double rate_Bps) {
  rates_Bps_[flow] = rate_Bps;
  --open_flows_;
  if (set_of_flow_[flow] != no_set) {
    LinkSet& set = sets_[set_of_flow_[flow]];
    set.open -= flows_on_set_[flow];
    set.settled_Bps += flows_on_set_[flow] * rate_Bps;
  }
  for (std::size_t i = first_[flow]; i < first_[flow + 1]; ++i) {
    Link& link = links_[crossings_[i].link];
    link.open -= crossings_[i].flows;
    link.left_Bps -= crossings_[i].flows * rate_Bps;
    link.share_changed = true;
  }
}

void MaxMin::settle_flows_of(std::size_t link, double rate_Bps) {
  for (const Member& member : links_[link].members) {
    if (rates_Bps_[member.flow] > 0) continue;
    if (links_[link].set != no_set && flows_on(member.flow, link) <= 0) continue;
    settle_flow(member.flow, rate_Bps);
  }
  if (links_[link].set == no_set) return;
  for (const std::size_t flow : sets_[links_[link].set].members)
    if (rates_Bps_[flow] <= 0 && flows_on(flow, link) > 0) settle_flow(flow, rate_Bps);
}

void MaxMin::settle() {
  reopen();
  double level_Bps = 0;
  while (open_flows_ > 0) {
    level_Bps = std::max(level_Bps, narrowest_Bps()); // the rate only rises, except by rounding
    const double full_below_Bps = level_Bps * (1 + rounding_share);
    if (full_below_Bps >= ceiling_Bps_) {
      for (const std::size_t flow : active_) {
        if (rates_Bps_[flow] <= 0) settle_flow(flow, ceiling_Bps_);
      }
    }
    for (const std::size_t link : open_links_) { // these links' shares are still those of the round before
      if (links_[link].share_Bps <= full_below_Bps) settle_flows_of(link, level_Bps);
    }
  }
}

} // namespace ddlsim
