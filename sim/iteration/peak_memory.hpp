#pragma once
// The most that training has in one GPU's memory at the same moment, counted part by part.

#include "sim/compute/layer_memory.hpp"
#include "sim/compute/piece_shape.hpp"
#include "sim/iteration/memory_parts.hpp"
#include "sim/iteration/step.hpp"

#include <vector>

namespace ddlsim {

/// What libraries of a GPU allocate beside tensors: workspaces of matrix products and buffers.
constexpr double library_bytes = 0.25 * 1024 * 1024 * 1024;
/// What PyTorch's allocator holds and does not use. Both are fitted to the eight published peaks of torchtitan
/// (tests/iteration/published_peaks.hpp) by one number of 1 GiB, and are not measured apart.
constexpr double allocator_bytes = 0.75 * 1024 * 1024 * 1024;

/// What decides which outputs the setup's GPUs keep.
KeptFacts kept_facts(const StepSetup& setup);

/// The parts at the moment of the peak, of the GPU that has most. The state is there at any time. Activations and what
/// a layer's backward works with change from layer to layer; the peak is at the layer with most of both. A pipeline's
/// stage has activations of every micro-batch whose backward is still to come, in the order of its schedule; a rank of
/// a tensor group of t and of a context group of c has 1/(t c) of them, as with sequence parallelism. 0 in all parts for
/// more pieces than the model has blocks.
MemoryParts peak_memory(const StepSetup& setup);

/// The same for a model that is cut already, with the result of layer_memory(). A search over one scale's layouts needs
/// both once.
MemoryParts peak_stage_memory(const StepSetup& setup, const std::vector<PieceShape>& pieces,
                              const std::vector<LayerMemory>& layers);

} // namespace ddlsim
