#pragma once
// Whether a GPU is of a generation that the libraries at hand have code for.

#include "trainer/cuda/cuda_runtime.hpp"

#include <string>
#include <vector>

namespace ddltrain {

/// One architecture that a library was compiled for.
struct CompiledFor {
  Capability capability;
  bool for_later = false; ///< as PTX, which the driver compiles for all later GPUs; else for later minor versions only
  bool only_this = false; ///< uses what other GPUs have not ("sm_90a")
};

/// The architectures named in LibTorch's own words about its build (at::show_config: "-gencode;arch=compute_80,
/// code=sm_80"). None where there are no such words, as without CUDA.
std::vector<CompiledFor> architectures_in(const std::string& build_words);

bool runs_on(const CompiledFor& code, const Capability& gpu);

/// Throws RunError with what was found and expected, and what to do, for a GPU that this CUDA no longer serves, nor an
/// NCCL built with it, or that LibTorch has no code for. build_words: LibTorch's, or "" where it does not compute.
void check_capability(const CudaRuntime& cuda, int gpu, const std::string& build_words);

} // namespace ddltrain
