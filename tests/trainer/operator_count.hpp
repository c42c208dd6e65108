#pragma once
// An independent count of work: LibTorch's own operators, hooked below the layers, and the shapes they were given.

#include <cstdint>
#include <functional>

namespace ddltrain {

/// FLOP of all convolutions and matrix products that run on this thread during `work`, biases not counted.
std::int64_t count_product_flop(const std::function<void()>& work);

} // namespace ddltrain
