#pragma once
#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/timing/marks.hpp"

namespace ddltrain {

/// Marks on the default stream of the current GPU, where LibTorch runs its work: events, which the GPU stamps.
std::unique_ptr<Marks> cuda_marks(std::shared_ptr<const CudaRuntime> cuda);

} // namespace ddltrain
