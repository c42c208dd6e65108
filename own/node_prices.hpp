#pragma once
// Prices of node-hours in the words of a command line, for `ddlsim plan --price p5=98`.

#include "sim/base/json.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

struct StatedPrice {
  std::size_t machine = 0; ///< position among the names
  double usd_per_node_hour = 0;
};

/// Reads texts like "p5=98". Before the "=" is one of `names`, or its number from 1. Notes every mistake under
/// "--price".
std::vector<StatedPrice> stated_prices(const std::vector<std::string>& typed, const std::vector<std::string>& names,
                                       Mistakes& mistakes);

/// The "price" of a candidate in a plan's request.
nlohmann::ordered_json price_of_candidate(const StatedPrice& price);

/// Gives the candidates of a plan's request these prices. Throws UserError with every mistake.
void set_prices(nlohmann::json& request, const std::vector<std::string>& typed);

/// A sum of money with its unit: a number alone is in US dollars.
std::string money_of(const std::string& typed);

} // namespace ddlsim
