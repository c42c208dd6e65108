#pragma once
// What a network keeps beside its parameters: batch normalisation's running statistics.

#include <ATen/core/Tensor.h>

#include <vector>

namespace ddltrain {

class Network;

/// Lays the network's buffers into one flat fp32 tensor on its device, on which the network works from then on. Empty
/// where it has none.
at::Tensor flatten_buffers(const Network& network);

/// All buffers' elements, in the order registered, in host memory.
std::vector<float> buffer_values(const Network& network);

/// Copies, and back: a pass that only looks must not move running statistics.
std::vector<at::Tensor> copies_of_buffers(const Network& network);
void set_buffers(const Network& network, const std::vector<at::Tensor>& values);

} // namespace ddltrain
