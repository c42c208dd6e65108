#pragma once
#include <memory>

namespace ddltrain {

class Network;

/// GoogLeNet (arXiv 1409.4842) as torchvision has it: batch norm after each convolution, 3x3 where the paper has 5x5,
/// no auxiliary heads, 1000 classes.
std::shared_ptr<Network> googlenet();

} // namespace ddltrain
