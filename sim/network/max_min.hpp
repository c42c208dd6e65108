#pragma once
// Max-min fair rates of flows on links, where one flow stands for many that are alike.

#include <cstddef>
#include <vector>

namespace ddlsim {

/// Progressive filling: all rates rise together until a link is full; what crosses it keeps its rate; the rest rises
/// on. Max-min rates are unique, so flows that are alike have equal rates, and one representative with its multiplicity
/// is exact: a link is full when the sum of (flows of the class on the link) x (rate of the class) is its rate.
///
/// For samples and searches; the number shown is SimGrid's. Why not SimGrid for all: its state is global, so each of
/// hundreds of samples would need a process, and it takes ten times as long. Tests hold this solver to SimGrid's.
class MaxMin {
public:
  struct Crossing {
    std::size_t link = 0;
    double flows = 0; ///< flows of the class on one such link; whole numbers
  };

  /// `ceiling_Bps`: what one flow gets at most, 0: no ceiling.
  explicit MaxMin(double ceiling_Bps);

  /// Links that many flows cross alike, so that such a flow counts once and not on each of them.
  std::size_t add_link_set();

  std::size_t add_link(double rate_Bps, std::size_t set = no_set); ///< index of the new link
  std::size_t add_flow(const std::vector<Crossing>& crossings);

  /// The same for a class that has `flows` on every link of the set. `crossings` come on top: on a link of the set they
  /// may be negative, where the class has fewer.
  std::size_t add_flow(const std::vector<Crossing>& crossings, std::size_t set, double flows);

  void set_active(std::size_t flow, bool active);
  bool is_active(std::size_t flow) const { return place_[flow] != inactive; }
  const std::vector<std::size_t>& active() const { return active_; } ///< in an order that follows from the calls

  /// Sets the rates of the active flows. Each crosses at least one link, or there is a ceiling.
  void settle();
  double rate_Bps(std::size_t flow) const { return rates_Bps_[flow]; } ///< of one flow of the class

private:
  static constexpr std::size_t inactive = static_cast<std::size_t>(-1);
  static constexpr std::size_t no_set = static_cast<std::size_t>(-1);

  /// A flow on a link.
  struct Member {
    std::size_t flow = 0;
    std::size_t crossing = 0; ///< index of crossings_
  };

  struct Link {
    double rate_Bps = 0;
    double active = 0; ///< flows under way
    double open = 0;   ///< of those, the ones whose rate still rises
    double left_Bps = 0;
    double share_Bps = 0; ///< left / open, unless it changed since
    bool share_changed = false;
    std::vector<Member> members{}; ///< active flows
    std::size_t set = no_set;
  };

  /// What its links have in common; comes on top of their own.
  struct LinkSet {
    double active = 0;
    double open = 0;
    double settled_Bps = 0;
    std::vector<std::size_t> members{}; ///< active flows
  };

  double active_on(const Link& link) const;
  double open_on(const Link& link) const;
  double left_on_Bps(const Link& link) const;
  double flows_on(std::size_t flow, std::size_t link) const;
  void enter(std::size_t flow);
  void leave(std::size_t flow);
  void reopen();
  double narrowest_Bps();
  void settle_flow(std::size_t flow, double rate_Bps);
  void settle_flows_of(std::size_t link, double rate_Bps);

  double ceiling_Bps_;
  std::size_t open_flows_ = 0;
  std::vector<Crossing> crossings_;        ///< of flow 0, of flow 1, ...
  std::vector<std::size_t> place_on_link_; ///< of each crossing in its link's members
  std::vector<std::size_t> first_{0};      ///< of each flow's crossings; one more for the end
  std::vector<std::size_t> place_;         ///< of each flow in active_
  std::vector<double> rates_Bps_;          ///< of each flow; 0 while it rises
  std::vector<std::size_t> active_;
  std::vector<Link> links_;
  std::vector<LinkSet> sets_;
  std::vector<std::size_t> set_of_flow_;
  std::vector<double> flows_on_set_;      ///< of each flow's class, on every link of its set
  std::vector<std::size_t> place_in_set_; ///< of each flow in its set's members
  std::vector<std::size_t> open_links_;
};

} // namespace ddlsim
