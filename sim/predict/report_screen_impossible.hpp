#pragma once
// The first screen of a prediction of which no scale is possible.

#include "sim/predict/prediction.hpp"

#include <string>

namespace ddlsim {

/// Says why each scale is impossible and, where sharding is missing, what to type.
std::string impossible_screen(const Prediction& prediction);

} // namespace ddlsim
