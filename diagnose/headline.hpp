#pragma once
// Writes one line on what was run and where, as in "resnet50 on 4 nodes of 8 H100, 8x400 Gbit/s ib, 64 samples a GPU,
// PyTorch".

#include "diagnose/observation.hpp"

#include <vector>

namespace ddlsim {

std::string headline_of(const Curve& curve, const std::vector<Observation>& points);

} // namespace ddlsim
