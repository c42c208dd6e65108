#pragma once
// Max-min fair rates of flows on links, where one flow stands for a class of many equal flows.

#include <cstddef>
#include <vector>

namespace ddlsim {

/// Solver by progressive filling: all rates rise together until a link is full; the flows that cross it keep their
/// rate, and the others rise on. Max-min rates are unique, so flows that cross the same links have equal rates. One
/// flow with a multiplicity thus stands for its class exactly: a link is full when the sum of (flows of the class on
/// the link) x (rate of the class) is its rate.
///
/// Samples and searches use this solver; the number shown is SimGrid's. SimGrid is not used for all, because its state
/// is global, so that each of hundreds of samples would need a process, and because it takes ten times as long. Tests
/// compare this solver to SimGrid's.
class MaxMin {
public:
  struct Crossing {
    std::size_t link = 0;
    double flows = 0; ///< number of flows of the class on one such link, a whole number
  };

  /// `ceiling_Bps` is the highest rate of one flow; 0: no ceiling.
  explicit MaxMin(double ceiling_Bps);

  /// Adds a set of links, and returns its index. A class that crosses all links of the set is counted once for the set,
  /// and not on each link.
  std::size_t add_link_set();

  std::size_t add_link(double rate_Bps, std::size_t set = no_set); ///< Adds a link, and returns its index.
  std::size_t add_flow(const std::vector<Crossing>& crossings);

  /// Adds a class that has `flows` on every link of the set, and returns its index. The flows of `crossings` come on
  /// top; they may be negative on links of the set that fewer flows of the class cross.
  std::size_t add_flow(const std::vector<Crossing>& crossings, std::size_t set, double flows);

  void set_active(std::size_t flow, bool active);
  bool is_active(std::size_t flow) const { return place_[flow] != inactive; }
  /// active classes; their order depends on the calls only
  const std::vector<std::size_t>& active() const { return active_; }

  /// Computes the rates of the active flows. Each must cross at least one link, unless there is a ceiling.
  void settle();
  double rate_Bps(std::size_t flow) const { return rates_Bps_[flow]; } ///< rate of one flow of the class

private:
  static constexpr std::size_t inactive = static_cast<std::size_t>(-1);
  static constexpr std::size_t no_set = static_cast<std::size_t>(-1);

  /// A flow on a link.
  struct Member {
    std::size_t flow = 0;
    std::size_t crossing = 0; ///< index in crossings_
  };

  struct Link {
    double rate_Bps = 0;
    double active = 0; ///< number of flows under way
    double open = 0;   ///< number of those flows whose rate still rises
    double left_Bps = 0;
    double share_Bps = 0; ///< left / open as last computed; either may have changed since
    bool share_changed = false;
    std::vector<Member> members{}; ///< the active flows on the link
    std::size_t set = no_set;
  };

  /// Flows that all links of a set share; they are added to each link's own.
  struct LinkSet {
    double active = 0;
    double open = 0;
    double settled_Bps = 0;
    std::vector<std::size_t> members{}; ///< the active flows on all links of the set
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
  std::vector<Crossing> crossings_;        ///< the crossings of flow 0, then those of flow 1, ...
  std::vector<std::size_t> place_on_link_; ///< place of each crossing among the members of its link
  std::vector<std::size_t> first_{0};      ///< index of each flow's first crossing; one more for the end
  std::vector<std::size_t> place_;         ///< place of each flow in active_
  std::vector<double> rates_Bps_;          ///< rate of each flow; 0 while it still rises
  std::vector<std::size_t> active_;
  std::vector<Link> links_;
  std::vector<LinkSet> sets_;
  std::vector<std::size_t> set_of_flow_;
  std::vector<double> flows_on_set_;      ///< flows of each class on every link of its set
  std::vector<std::size_t> place_in_set_; ///< place of each flow among the members of its set
  std::vector<std::size_t> open_links_;
};

} // namespace ddlsim
