#pragma once

#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/synchronisation/synchroniser.hpp"

#include <cstddef>
#include <memory>

namespace ddltrain {

/// Makes the link between the host and GPU number `gpu`: pinned memory, events on the default stream, and copies on a
/// stream of its own. `marks` is the largest number of marks between two clears.
std::shared_ptr<DeviceLink> cuda_link(std::shared_ptr<const CudaRuntime> cuda, int gpu, std::size_t marks);

} // namespace ddltrain
