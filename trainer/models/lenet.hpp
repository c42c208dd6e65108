#pragma once
#include <memory>

namespace ddltrain {

class Network;

/// LeNet-5 on 28x28 digits, padded to 32x32 as in the paper (LeCun et al. 1998), with today's ReLU and maximum pooling
/// and fully connected second convolution; 61,706 parameters.
std::shared_ptr<Network> lenet5();

} // namespace ddltrain
