#pragma once
// What a node of a cluster costs: "prices" of platforms/NAME/cluster.json.

#include "sim/formats/names.hpp"

#include <string>

namespace ddlsim {

/// One price of one whole node.
struct NodePrice {
  PriceKind kind = PriceKind::on_demand;
  double usd = 0;     ///< dollars: of a node for an hour; of a node, once, for a purchase
  double term_s = 0;  ///< how long a reserved node is promised to be kept; 0 for the others
  std::string date{}; ///< when the price held: "2024", "2024-05" or "2024-05-17"
};

} // namespace ddlsim
