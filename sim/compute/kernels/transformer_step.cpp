#include "sim/compute/kernels/transformer_step.hpp"

#include "sim/compute/kernels/element_passes.hpp"
#include "sim/compute/kernels/matrix_product.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ddlsim {

namespace {

/// How sharply the longer of GPU and host decides: at 6 two equal times take 1.12 times as long as one. Judgement.
constexpr double overlap_power = 6;
/// Seconds that one element-wise kernel takes besides its bytes.
constexpr double element_launch_s = 4e-6;
/// Bytes of a token's value that word table, last norm and their gradients move.
constexpr double word_bytes = 24;
/// The host launches forward again where it is computed again.
constexpr double host_with_recompute = 4.0 / 3;
/// Share of the products that "alternate_matmuls" computes again: every other one.
constexpr double alternate_share = 0.5;

/// One pass over one layer, in seconds.
struct PassTime {
  double products_s = 0;
  double attention_s = 0;
  double memory_s = 0;
  double traffic_s = 0;
  double total_s() const { return products_s + attention_s + memory_s + traffic_s; }
};

void add(PassTime& to, const PassTime& more) {
  to.products_s += more.products_s;
  to.attention_s += more.attention_s;
  to.memory_s += more.memory_s;
  to.traffic_s += more.traffic_s;
}

/// A question whose optional widths are filled in.
struct Question {
  TransformerSizes shape;
  StepLayout layout;
  StackCosts stack;
  KernelRates rates;
  LayerTraffic traffic;
  double tokens = 0; ///< of a micro-batch on this GPU
};

double product_s(const Question& ask, const MatrixShape& shape) {
  return matrix_product_s(shape, ask.rates) + (ask.stack.separate_casts ? cast_s(shape, ask.rates) : 0);
}

/// The products of a layer's forward on this GPU: queries, keys and values; their result; into and out of the
/// feed-forward block.
std::array<MatrixShape, 4> forward_products(const Question& ask) {
  const auto& shape = ask.shape;
  const double tensor = ask.layout.tensor;
  const double head_width = shape.heads * shape.head_size / tensor;
  const double kv_width = shape.kv_heads * shape.head_size / tensor;
  const double inner = shape.ffn / tensor;
  return {{{ask.tokens, head_width + 2 * kv_width, shape.hidden},
           {ask.tokens, shape.hidden, head_width},
           {ask.tokens, (shape.gated ? 2 : 1) * inner, shape.hidden},
           {ask.tokens, shape.hidden, inner}}};
}

AttentionShape attention_of(const Question& ask, double window) {
  const auto& [shape, layout, stack, rates, traffic, tokens] = ask;
  return {layout.micro_batch,
          shape.sequence,
          shape.heads / layout.tensor,
          shape.kv_heads / layout.tensor,
          shape.head_size,
          shape.causal,
          window,
          layout.context};
}

double over_memory_s(const Question& ask, double bytes) {
  return bytes / (ask.rates.peaks.memory_Bps * ask.rates.memory_share);
}

double passes_s(const Question& ask, const PassBytes& bytes, double launches) {
  const auto& shape = ask.shape;
  const double tensor = ask.layout.tensor;
  const double whole = bytes.hidden * shape.hidden / (ask.layout.sequence_parallel ? tensor : 1);
  const double divided = (bytes.queries * shape.heads + bytes.keys * shape.kv_heads) * shape.head_size / tensor +
                         bytes.ffn * shape.ffn / tensor;
  return over_memory_s(ask, ask.tokens * (whole + divided)) + launches * element_launch_s;
}

PassTime forward_of(const Question& ask, double window) {
  PassTime time;
  for (const auto& product : forward_products(ask)) time.products_s += product_s(ask, product);
  time.attention_s = attention_forward_s(attention_of(ask, window), ask.stack.attention, ask.rates);
  time.memory_s = passes_s(ask, block_passes(ask.shape.gated, ask.stack.passes).forward, ask.stack.forward_launches);
  time.traffic_s = ask.traffic.forward_s;
  return time;
}

/// What backward computes again of forward.
PassTime recomputed(const PassTime& forward, Recompute recompute) {
  switch (recompute) {
  case Recompute::none:
    break;
  case Recompute::selective:
    return {0, forward.attention_s, 0, 0};
  case Recompute::alternate_matmuls:
    return {alternate_share * forward.products_s, 0, forward.memory_s, forward.traffic_s};
  case Recompute::full:
    return forward;
  }
  return {};
}

PassTime backward_of(const Question& ask, double window, const PassTime& forward) {
  PassTime time;
  for (const auto& [m, n, k] : forward_products(ask))
    time.products_s += product_s(ask, {m, k, n}) + product_s(ask, {n, k, m}); // gradients of inputs and of weights
  time.attention_s = attention_backward_s(attention_of(ask, window), ask.stack.attention, ask.rates);
  time.memory_s = passes_s(ask, block_passes(ask.shape.gated, ask.stack.passes).backward, ask.stack.backward_launches) +
                  over_memory_s(ask, ask.stack.gradient_bytes * layer_parameters(ask.shape) / ask.layout.tensor);
  time.traffic_s = ask.traffic.backward_s;
  add(time, recomputed(forward, ask.stack.recompute));
  return time;
}

double head_s(const Question& ask) {
  const auto& shape = ask.shape;
  const double words = shape.vocabulary / ask.layout.tensor;
  const double scored = ask.tokens * (shape.scored_tokens > 0 ? shape.scored_tokens / shape.sequence : 1);
  return product_s(ask, {scored, words, shape.hidden}) + product_s(ask, {scored, shape.hidden, words}) +
         product_s(ask, {words, shape.hidden, scored}) +
         over_memory_s(ask, ask.stack.logit_bytes * scored * words + word_bytes * ask.tokens * shape.hidden);
}

double update_s(const Question& ask) {
  const auto& layout = ask.layout;
  const double tables = layout.pipeline == 1 && !ask.shape.tied_words ? 2 : 1; // else word table or logits, not both
  const double parameters = ask.shape.layers / layout.pipeline * layer_parameters(ask.shape) +
                            tables * ask.shape.vocabulary * ask.shape.hidden;
  return over_memory_s(ask, ask.stack.update_bytes * parameters / layout.tensor / layout.optimizer_shards);
}

/// Adds `count` layers of that window. The shares are seconds until finish() divides them by the total.
void add_layers(const Question& ask, double window, double count, TransformerStep& step) {
  if (count <= 0) return;
  auto gpu = forward_of(ask, window);
  add(gpu, backward_of(ask, window, gpu));
  const double exposed_s = std::max(0.0, ask.traffic.sharding_s - gpu.total_s());
  const double host_s = ask.stack.host_layer_s * (ask.stack.recompute == Recompute::full ? host_with_recompute : 1);
  const double gpu_s = gpu.total_s() + exposed_s;
  const double longer_s = std::max(gpu_s, host_s);
  if (longer_s <= 0) return;
  const double layer_s =
      longer_s * std::pow(std::pow(gpu_s / longer_s, overlap_power) + std::pow(host_s / longer_s, overlap_power),
                          1 / overlap_power);
  const double of_gpu = std::pow(gpu_s / layer_s, overlap_power - 1); // d layer / d gpu
  const double of_host = std::pow(host_s / layer_s, overlap_power - 1);
  const double of_compute = exposed_s > 0 ? 0 : of_gpu; // exposed sharding covers compute
  step.total_s += count * layer_s;
  step.parts.products_s += count * gpu.products_s;
  step.parts.attention_s += count * gpu.attention_s;
  step.parts.memory_s += count * gpu.memory_s;
  step.parts.traffic_s += count * (gpu.traffic_s + exposed_s);
  step.parts.host_s += count * host_s;
  step.shares.products += count * of_compute * gpu.products_s;
  step.shares.attention += count * of_compute * gpu.attention_s;
  step.shares.memory += count * of_compute * gpu.memory_s;
  step.shares.traffic += count * (exposed_s > 0 ? of_gpu * gpu_s : of_compute * gpu.traffic_s);
  step.shares.host += count * of_host * host_s;
}

void finish(TransformerStep& step) {
  step.shares.head = step.parts.head_s;
  step.shares.optimizer = step.parts.optimizer_s;
  step.total_s += step.parts.head_s + step.parts.optimizer_s;
  if (step.total_s <= 0) return;
  for (auto* share : {&step.shares.products, &step.shares.attention, &step.shares.memory, &step.shares.traffic,
                      &step.shares.host, &step.shares.head, &step.shares.optimizer})
    *share /= step.total_s;
}

} // namespace

TransformerStep transformer_step(const TransformerSizes& shape, const StepLayout& layout, const StackCosts& stack,
                                 const KernelRates& rates, const LayerTraffic& traffic) {
  Question ask{shape, layout, stack, queued(rates), traffic, layout.micro_batch * shape.sequence / layout.context};
  if (ask.shape.kv_heads <= 0) ask.shape.kv_heads = shape.heads;
  if (ask.shape.head_size <= 0) ask.shape.head_size = shape.hidden / shape.heads;
  const double runs = (layout.micro_batches + (layout.pipeline - 1) / layout.virtual_stages) / layout.pipeline;
  TransformerStep step;
  add_layers(ask, shape.window, runs * shape.windowed_layers, step);
  add_layers(ask, 0, runs * (shape.layers - shape.windowed_layers), step);
  step.parts.head_s = layout.micro_batches * head_s(ask);
  step.parts.optimizer_s = update_s(ask);
  finish(step);
  return step;
}

} // namespace ddlsim
