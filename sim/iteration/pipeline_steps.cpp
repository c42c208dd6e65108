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
    return std::min(all, behind);
  case PipelineSchedule::interleaved:
    break;
  }
  return std::min(all, 2 * behind + (options.virtual_stages - 1) * options.pipeline);
}

} // namespace

std::vector<PipelineStep> steps_of_stage(const ModelParallelOptions& options, int stage) {
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
  const double passes = 2.0 * options.micro_batches * options.pipeline * options.virtual_stages;
  // one gather in forward, and one gather and one scatter in backward
  const double keys = options.context > 1 ? 1.5 : 0;
  const double inside =
      // a gather and a scatter inside layers; exchanges of tokens
      (options.tensor > 1 ? 2 : 0) + (options.expert > 1 ? 1 + (options.expert_overlap ? 1 : 0) : 0) + keys;
  const double of_a_pass = 2 + inside;                        // compute and send, and what is inside layers
  const double of_a_stage = 3 + 2.0 * options.virtual_stages; // the transfers among replicas
  return of_a_pass * passes + of_a_stage * options.pipeline;
}

} // namespace ddlsim
