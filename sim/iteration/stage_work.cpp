#include "sim/iteration/stage_work.hpp"

#include "sim/iteration/expert_exchange.hpp"

namespace ddlsim {
namespace {

/// Whether the step has transfers inside layers. Gradients of weights alone need none.
bool is_of_layers(const PipelineStep& step) {
  return step.forward || step.backward != BackwardPart::weights;
}

} // namespace

std::size_t StageWork::add(const PieceShape& shape, const StepPart& part, const StageStreams& streams, double more_s,
                           const std::vector<std::size_t>& before) {
  const auto& step = part.step;
  const double all_s = compute_s(shape, step) / part.parts + more_s;
  const bool sends_keys = carriers_.of_context >= 0 && is_of_layers(step) && shape.attentive_blocks > 0;
  const bool in_ring = sends_keys && options_.context_kind == ContextKind::ring;
  const double beside_keys_s = in_ring ? attention_s(shape, step) / part.parts : 0;
  constexpr double half = 0.5; // of what else is computed comes before attention
  std::size_t last = add_compute(part, streams.compute, in_ring ? half * (all_s - beside_keys_s) : all_s);
  graph_.operations[last].copies_s = in_ring ? half * more_s : more_s;
  for (const std::size_t one : before) wait_for(graph_, one);
  if (in_ring) {
    const std::size_t sent = add_keys(shape, part, streams.keys, last);
    add_compute(part, streams.compute, beside_keys_s);
    last = add_compute(part, streams.compute, half * (all_s - beside_keys_s));
    graph_.operations[last].copies_s = half * more_s;
    wait_for(graph_, sent);
  }
  if (carriers_.of_tensor >= 0 && is_of_layers(step)) last = add_inside(shape, part, streams, before, last);
  if (sends_keys && options_.context_kind == ContextKind::all_gather) last = add_keys(shape, part, streams.keys, last);
  if (sends_keys && options_.context_kind == ContextKind::all_to_all) last = add_heads(shape, part, streams.keys, last);
  return last;
}

double StageWork::compute_s(const PieceShape& shape, const PipelineStep& step) const {
  const double more = options_.imbalance() - 1; // tokens that the busiest rank has beyond an even share
  if (step.forward)
    return passes_.forward_s * (shape.forward + more * shape.expert_forward) * scale() + beside_s(shape, step);
  const double weights_s = passes_.backward_s * shape.weight_backward;
  if (step.backward == BackwardPart::weights) return weights_s * scale();
  const double again_s = passes_.forward_s * (shape.again.forward + more * shape.again.expert_forward);
  const double all_s = passes_.backward_s * (shape.backward + more * shape.expert_backward) + again_s;
  const double later_s = step.backward == BackwardPart::inputs ? weights_s : 0;
  return (all_s - later_s) * scale() + beside_s(shape, step);
}

/// Seconds that a rank of a tensor group computes beyond its share. A third is in forward, as for all matrix work.
double StageWork::beside_s(const PieceShape& shape, const PipelineStep& step) const {
  if (shape.attentive_blocks == 0) return 0;
  const double a_pass_s = bytes_.beside_s * bytes_.outputs * shape.inner_bytes / options_.context / 3;
  const double again = 1.0 * shape.again.attentive_blocks / shape.attentive_blocks;
  return a_pass_s * (step.forward ? 1 : 2 + again);
}

/// Seconds of attention to keys and values beside which a ring sends the next ones: all of it but the last rank's.
double StageWork::attention_s(const PieceShape& shape, const PipelineStep& step) const {
  const double all_s =
      step.forward ? passes_.forward_s * shape.attention_forward
                   : passes_.backward_s * shape.attention_backward + passes_.forward_s * shape.again.attention_forward;
  return all_s * scale() * (options_.context - 1) / options_.context;
}

Operation StageWork::transfer(OperationKind kind, std::size_t stream, const StepPart& part, int group) const {
  Operation made{kind, stream};
  made.unit = part.unit;
  made.micro_batch = part.step.micro_batch;
  made.group = group;
  return made;
}

std::size_t StageWork::add_compute(const StepPart& part, std::size_t stream, double duration_s) {
  Operation operation{OperationKind::compute, stream, duration_s};
  operation.part = part.step.forward ? ComputePart::forward : ComputePart::backward;
  operation.unit = part.unit;
  operation.micro_batch = part.step.micro_batch;
  return add_operation(graph_, operation);
}

/// Adds two gathers and two scatters for each block with attention, after its compute. Where they overlap with
/// compute, one of the t parts of each transfer is exposed, and the others run beside compute.
std::size_t StageWork::add_inside(const PieceShape& shape, const StepPart& part, const StageStreams& streams,
                                  const std::vector<std::size_t>& before, std::size_t last) {
  if (shape.cut_layers > 0) last = add_outputs(shape, part, streams.inside, last);
  if (shape.attentive_blocks == 0) return last;
  const double seen = options_.tensor_overlap ? 1.0 / options_.tensor : 1;
  std::size_t beside = last;
  for (const auto kind : {OperationKind::all_gather, OperationKind::reduce_scatter}) {
    if (!options_.tensor_overlap) break;
    beside = add_operation(graph_, inside_of(shape, part, streams.inside, kind, 1 - seen));
    for (const std::size_t one : before) wait_for(graph_, one);
  }
  for (const auto kind : {OperationKind::all_gather, OperationKind::reduce_scatter}) {
    last = add_operation(graph_, inside_of(shape, part, streams.inside, kind, seen), {last});
    if (options_.tensor_overlap) wait_for(graph_, beside);
  }
  return last;
}

Operation StageWork::inside_of(const PieceShape& shape, const StepPart& part, std::size_t stream, OperationKind kind,
                               double share) const {
  constexpr int a_block = 2;
  auto inside = transfer(kind, stream, part, carriers_.of_tensor);
  const bool gathers = kind == OperationKind::all_gather;
  int blocks = shape.attentive_blocks;
  if (!part.step.forward) blocks += shape.again.attentive_blocks + (gathers ? shape.again.gathered_blocks : 0);
  inside.repeats = a_block * part.share_of(blocks);
  inside.size_bytes = share * bytes_.outputs * gathered_bytes(shape, options_);
  return inside;
}

/// Adds the transfers of layers that are cut by their outputs. Forward gathers the outputs. Backward gathers outputs
/// again where they are recomputed, and then scatters gradients, of which each rank has one summand for all inputs of
/// the next layer.
std::size_t StageWork::add_outputs(const PieceShape& shape, const StepPart& part, std::size_t stream,
                                   std::size_t last) {
  const auto add = [&](OperationKind kind, int layers, double inner_bytes) {
    auto outputs = transfer(kind, stream, part, carriers_.of_tensor);
    outputs.repeats = layers;
    outputs.size_bytes = bytes_.outputs * inner_bytes / layers;
    last = add_operation(graph_, outputs, {last});
  };
  const auto& again = shape.again;
  const bool forward = part.step.forward;
  if (!forward && again.cut_layers > 0) add(OperationKind::all_gather, again.cut_layers, again.inner_bytes);
  add(forward ? OperationKind::all_gather : OperationKind::reduce_scatter, shape.cut_layers, shape.inner_bytes);
  return last;
}

/// Adds the gathers of keys and values of each block with attention. They are gathered once more where attention is
/// recomputed. Backward also scatters their gradients.
std::size_t StageWork::add_keys(const PieceShape& shape, const StepPart& part, std::size_t stream, std::size_t last) {
  for (const auto kind : {OperationKind::all_gather, OperationKind::reduce_scatter}) {
    if (part.step.forward && kind == OperationKind::reduce_scatter) break;
    auto keys = transfer(kind, stream, part, carriers_.of_context);
    const bool repeated = !part.step.forward && kind == OperationKind::all_gather;
    keys.repeats = part.share_of(shape.attentive_blocks + (repeated ? shape.again.key_blocks : 0));
    keys.size_bytes = bytes_.outputs * shape.key_bytes / shape.attentive_blocks / options_.tensor;
    keys.keys = true;
    last = add_operation(graph_, keys, {last});
  }
  return last;
}

/// Adds the two exchanges of each block with attention that turn parts of sequences into heads and back: queries, keys
/// and values before attention, and its outputs after it. Backward exchanges their gradients.
std::size_t StageWork::add_heads(const PieceShape& shape, const StepPart& part, std::size_t stream, std::size_t last) {
  const int again = part.step.forward ? 0 : shape.again.key_blocks;
  for (const double exchanged_bytes : {shape.query_bytes + shape.key_bytes, shape.query_bytes}) {
    auto heads = transfer(OperationKind::all_to_all, stream, part, carriers_.of_context);
    heads.repeats = part.share_of(shape.attentive_blocks + again);
    heads.size_bytes = bytes_.outputs * exchanged_bytes / shape.attentive_blocks / options_.tensor / options_.context;
    heads.keys = true;
    last = add_operation(graph_, heads, {last});
  }
  return last;
}

/// The exchange of tokens. Beside compute it waits for what came before the step, and a part of it still follows.
std::size_t StageWork::add_routing(const PieceShape& shape, const StepPart& part, const StageStreams& streams,
                                   const std::vector<std::size_t>& before, std::size_t last) {
  if (carriers_.of_expert < 0 || shape.expert_blocks == 0 || !is_of_layers(part.step)) return last;
  if (carriers_.of_tensor >= 0 && options_.ranks_of_expert() > 1)
    last = add_tokens_of_group(shape, part, streams, last);
  if (!options_.expert_overlap) return add_operation(graph_, routing_of(shape, part, streams, 1), {last});
  const std::size_t beside = add_operation(graph_, routing_of(shape, part, streams, 1 - seen_of_overlapped_exchange));
  for (const std::size_t one : before) wait_for(graph_, one);
  last = add_operation(graph_, routing_of(shape, part, streams, seen_of_overlapped_exchange), {last});
  wait_for(graph_, beside);
  return last;
}

Operation StageWork::placed(Operation exchange, const StepPart& part, std::size_t stream, int group) const {
  auto made = transfer(exchange.kind, stream, part, group);
  made.repeats = exchange.repeats;
  made.size_bytes = bytes_.outputs * exchange.size_bytes;
  return made;
}

Operation StageWork::routing_of(const PieceShape& shape, const StepPart& part, const StageStreams& streams,
                                double share) const {
  const auto& group = carriers_.groups[at(carriers_.of_expert)].machine;
  auto routing =
      placed(exchange_of_tokens(shape, options_, group, part.step.forward), part, streams.inside, carriers_.of_expert);
  routing.size_bytes *= share;
  return routing;
}

std::size_t StageWork::add_tokens_of_group(const PieceShape& shape, const StepPart& part, const StageStreams& streams,
                                           std::size_t last) {
  for (const auto& tokens : tokens_of_group(shape, options_, part.step.forward))
    last = add_operation(graph_, placed(tokens, part, streams.inside, carriers_.of_tensor), {last});
  return last;
}

} // namespace ddlsim
