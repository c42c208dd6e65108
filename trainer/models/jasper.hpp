#pragma once

#include <memory>

namespace ddltrain {
class Network;

/// Jasper 10x5 with dense residual connections (arXiv 1904.03288, table 1 and figure 2), 28 letters and a blank. A
/// sample is an utterance of 16.7 s in 64 features a frame: a batch is padded to its longest, and that is the longest
/// that NVIDIA/DeepLearningExamples trains on (jasper10x5dr.toml).
std::shared_ptr<Network> jasper();

} // namespace ddltrain
