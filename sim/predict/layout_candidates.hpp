#pragma once
// The layouts that a search tries at a scale.

#include "sim/iteration/step.hpp"

#include <vector>

namespace ddlsim {

/// The layouts to try at the setup's scale. Among equally fast ones an earlier one is preferred: smaller tensor groups
/// come first, then smaller context groups, fewer stages, fewer micro-batches, fewer pieces, the usual way of replicas, fewer expert ranks, less
/// recomputation. What the strategy states is kept.
///   tensor         divisors of a node's GPUs and of both sides of all matrices in blocks with attention; 1 without any
///   context        divisors of (GPUs / tensor) whose double divides the sequence; 1 if the model has no known keys
///   pipeline       divisors of (GPUs / tensor / context), at most the model's blocks
///   micro_batches  all numbers that give each a whole number of samples
///   virtual_stages one piece a stage (1F1B), or interleaved pieces of one block, of two, of four, and so on
///   expert         divisors of a block's experts and of (GPUs / tensor / pipeline); 1 without experts
///   data_parallel  what replica_choices() says
///   recompute      none, selective, full
/// Layouts that layout_complaint() refuses and those with more than half a million operations are left out. No degrees
/// are added once there are 50,000 layouts.
std::vector<Strategy> layout_candidates(const StepSetup& setup);

} // namespace ddlsim
