#pragma once
#include <string>

namespace ddltrain {

/// LibTorch's version without what a build adds to it: "2.11.0+cu130" is 2.11.0.
std::string libtorch_version();

} // namespace ddltrain
