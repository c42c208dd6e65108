#pragma once

#include <memory>

namespace ddltrain {
class Network;

/// GoogLeNet (arXiv 1409.4842) as torchvision has it: batch norm after each convolution, 3x3 where the paper has 5x5,
/// no auxiliary heads, 1000 classes.
std::shared_ptr<Network> googlenet();

/// GoogLeNet as Caffe's model zoo has it (bvlc_googlenet), close to the paper: no batch norm, 5x5 convolutions, response
/// normalisation, and two auxiliary heads that its training loss includes. 13,378,280 parameters.
std::shared_ptr<Network> googlenet_bvlc();

} // namespace ddltrain
