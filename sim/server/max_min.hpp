#pragma once
// Max-min fair rates of flows on links, where one flow stands for many that are alike.

#include <cstddef>
#include <vector>

namespace ddlsim {

/// Progressive filling: all rates rise together until a link is full; what crosses it keeps its rate; the rest rises
/// on. Max-min rates are unique, so flows that are alike have equal rates, and one representative with its multiplicity
/// is exact: a link is full when the sum of (flows of the class on the link) x (rate of the class) is its rate.
///
/// Why not SimGrid: there a multiplicity is a link listed that often in a route, which costs its square; its state is
/// global, so each of hundreds of worlds would need a process; and a solver of our own can be held to SimGrid's.
class MaxMin {
public:
  struct Crossing {
    std::size_t link = 0;
    double flows = 0; ///< flows of the class on one such link; whole numbers
  };

  /// `ceiling_Bps`: what one flow gets at most, 0: no ceiling.
  explicit MaxMin(double ceiling_Bps);

  std::size_t add_link(double rate_Bps); ///< index of the new link
  std::size_t add_flow(const std::vector<Crossing>& crossings);

  void set_active(std::size_t flow, bool active);
  bool is_active(std::size_t flow) const { return flows_[flow].active; }

  /// Sets the rates of the active flows. Each crosses at least one link, or there is a ceiling.
  void settle();
  double rate_Bps(std::size_t flow) const { return flows_[flow].rate_Bps; } ///< of one flow of the class

private:
  struct Flow {
    std::vector<Crossing> crossings;
    bool active = false;
    bool settled = false;
    double rate_Bps = 0;
  };
  struct Link {
    double rate_Bps = 0;
    std::vector<std::size_t> flows;
    double active = 0; ///< flows under way
    double open = 0;   ///< of those, the ones whose rate still rises
    double left_Bps = 0;
    double share_Bps() const { return left_Bps / open; }
  };

  void reopen();
  double narrowest_Bps();
  void settle_flow(Flow& flow, double rate_Bps);

  double ceiling_Bps_;
  std::size_t active_flows_ = 0;
  std::size_t open_flows_ = 0;
  std::vector<Flow> flows_;
  std::vector<Link> links_;
  std::vector<std::size_t> open_links_;
};

} // namespace ddlsim
