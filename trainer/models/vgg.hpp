#pragma once
#include <memory>

namespace ddltrain {

class Network;

/// VGG-16 without batch norm, 1000 classes (arXiv 1409.1556, configuration D; torchvision's vgg16).
std::shared_ptr<Network> vgg16();

} // namespace ddltrain
