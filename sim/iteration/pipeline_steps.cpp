#include "sim/iteration/pipeline_graph.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

/// The k-th forward of a stage, or its k-th backward. Backwards begin with the last piece.
PipelineStep step_of(const ModelParallelOptions& options, int stage, bool forward, int k) {
  const int round = options.pipeline * options.virtual_stages;
  const int place = k % round;
  const int turn = place / options.pipeline;
  const int piece_of_stage = forward ? turn : options.virtual_stages - 1 - turn;
  return {forward, piece_of_stage * options.pipeline + stage, k / round * options.pipeline + place % options.pipeline};
}

/// Number of forwards that a stage runs before its first backward.
int forwards_before(const ModelParallelOptions& options, int stage) {
  const int all = options.micro_batches * options.virtual_stages;
  const int behind = options.pipeline - stage - 1;
  switch (options.schedule) {
  case PipelineSchedule::gpipe:
    return all;
  case PipelineSchedule::one_f_one_b:
  case PipelineSchedule::zero_bubble:
    return std::min(all, behind);
  case PipelineSchedule::interleaved:
    break;
  }
  return std::min(all, 2 * behind + (options.virtual_stages - 1) * options.pipeline);
}

/// The steps of a stage that computes gradients of weights `stage` micro-batches later than those of inputs.
std::vector<PipelineStep> steps_without_bubble(const ModelParallelOptions& options, int stage) {
  const int all = options.micro_batches;
  const int before = forwards_before(options, stage);
  std::vector<PipelineStep> steps;
  steps.reserve(3 * at(all));
  const auto add_weights = [&](int micro_batch) {
    steps.push_back({false, stage, micro_batch, BackwardPart::weights});
  };
  for (int k = 0; k < before; ++k) steps.push_back({true, stage, k});
  for (int k = 0; k < all; ++k) {
    if (before + k < all) steps.push_back({true, stage, before + k});
    steps.push_back({false, stage, k, BackwardPart::inputs});
    if (k >= stage) add_weights(k - stage);
  }
  for (int k = std::max(0, all - stage); k < all; ++k) add_weights(k);
  return steps;
}

} // namespace

std::vector<PipelineStep> steps_of_stage(const ModelParallelOptions& options, int stage) {
  if (options.schedule == PipelineSchedule::zero_bubble) return steps_without_bubble(options, stage);
  const int all = options.micro_batches * options.virtual_stages;
  const int before = forwards_before(options, stage);
  std::vector<PipelineStep> steps;
  steps.reserve(2 * at(all));
  for (int k = 0; k < before; ++k) steps.push_back(step_of(options, stage, true, k));
  for (int k = 0; k < all; ++k) {
    if (before + k < all) steps.push_back(step_of(options, stage, true, before + k));
    const bool last_first = options.schedule == PipelineSchedule::gpipe;
    steps.push_back(step_of(options, stage, false, last_first ? all - 1 - k : k));
  }
  return steps;
}

double operations_of_pipeline(const ModelParallelOptions& options) {
  const double parts = options.schedule == PipelineSchedule::zero_bubble ? 3 : 2; // forward, and backward in one or two
  const double passes = parts * options.micro_batches * options.pipeline * options.virtual_stages;
  // one gather in forward, and one gather and one scatter in backward
  const double keys = options.context > 1 ? 1.5 : 0;
  if (options.data_parallel == DataParallel::fsdp) {
    constexpr double blocks = 100; // of a model; few have more
    const double gathers = 1.5;    // a gather in each pass, and a scatter in backward
    const double inside_blocks =
        (options.tensor > 1 ? 2 : 0) + (options.expert > 1 ? 1 + (options.expert_overlap ? 1 : 0) : 0) + keys;
    return passes + 2 * blocks * options.micro_batches * (1 + gathers + inside_blocks);
  }
  const double inside =
      // a gather and a scatter inside layers; exchanges of tokens
      (options.tensor > 1 ? 2 : 0) + (options.expert > 1 ? 1 + (options.expert_overlap ? 1 : 0) : 0) + keys;
  const double of_a_pass = 2 + inside;                        // compute and send, and what is inside layers
  const double of_a_stage = 3 + 2.0 * options.virtual_stages; // the transfers among replicas
  return of_a_pass * passes + of_a_stage * options.pipeline;
}

} // namespace ddlsim
