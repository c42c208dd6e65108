#pragma once
// Finds the measurement that would best distinguish two causes of slowness.

#include "diagnose/diagnose.hpp"

#include <optional>
#include <vector>

namespace ddlsim {

/// Considers iterations and all-reduces of 16 MiB, each on one GPU, on one node and on every observed number of GPUs.
/// Returns the point where the expected times of the two causes differ most, in standard deviations of their
/// uncertainty; nothing if they differ by less than one.
std::optional<DiscriminatingPoint> find_discriminating_point(const Curve& curve, const Cause& first,
                                                             const Cause& second,
                                                             const std::vector<Observation>& observed);

} // namespace ddlsim
