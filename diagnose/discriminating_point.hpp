#pragma once
// Which measurement would separate two causes of slowness best.

#include "diagnose/diagnose.hpp"

#include <optional>
#include <vector>

namespace ddlsim {

/// Looks at iterations and at all-reduces of 16 MiB, each on one GPU, on one node and on as many GPUs as were observed.
/// Takes the point where the expected times of the two causes differ most, in standard deviations of their uncertainty;
/// nothing where they differ by less than one.
std::optional<DiscriminatingPoint> find_discriminating_point(const Curve& curve, const Cause& first,
                                                             const Cause& second,
                                                             const std::vector<Observation>& observed);

} // namespace ddlsim
