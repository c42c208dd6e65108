#pragma once
// What the terminal's report says of parameter servers, in sentences below a strategy's tables.

#include "sim/predict/prediction.hpp"

#include <string>

namespace ddlsim {

/// Which servers were taken where the strategy seeks the best; what a bought GPU and a bought node come to where nodes
/// are bought for servers; the tensor that decides where one does. "" where there is nothing to say.
std::string server_lines(const StrategyAnswer& answer);

/// "8 colocated, pieces".
std::string servers_in_words(const Strategy& strategy);

} // namespace ddlsim
