#pragma once
#include <memory>

namespace ddltrain {

class Network;

/// MobileNetV2 of width 1.0, 1000 classes (arXiv 1801.04381, table 2).
std::shared_ptr<Network> mobilenet_v2();

} // namespace ddltrain
