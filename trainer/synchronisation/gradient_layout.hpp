#pragma once
// A model's parameters and gradients as two flat arrays, tensors in the order in which backward makes gradients ready.

#include <cstddef>
#include <vector>

namespace ddltrain {

struct TensorPlace {
  std::size_t tensor = 0; ///< index in the order the model creates its tensors
  std::size_t first = 0;  ///< element of the flat arrays
  std::size_t count = 0;
};

using GradientLayout = std::vector<TensorPlace>; ///< in the order ready; positions are indices into it

/// counts: elements of each tensor in creation order; ready: creation indices in the order ready, each once.
GradientLayout lay_out(const std::vector<std::size_t>& counts, const std::vector<std::size_t>& ready);

std::size_t element_count(const GradientLayout& layout);

/// The flat arrays of this rank, which live as long as its model.
struct ModelMemory {
  float* parameters = nullptr;
  float* gradients = nullptr;
};

} // namespace ddltrain
