#include "sim/formats/parallel_checks.hpp"

#include "sim/formats/expert_fields.hpp"
#include "sim/formats/layout_fields.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

/// Refuses more ranks than any machine has: that is a typing error, and the number would overflow an int.
void check_ranks(const JsonNode& node, const ModelParallelOptions& parallel) {
  constexpr double most_ranks = 1e9;
  double ranks = 1;
  for (const int degree : {parallel.expert, parallel.tensor, parallel.context, parallel.pipeline})
    if (degree != ModelParallelOptions::best) ranks *= degree;
  if (ranks > most_ranks)
    node.mistake(
        fmt::format("these degrees need {:g} GPUs, and {:g} are the most; give smaller ones", ranks, most_ranks));
}

/// Refuses experts together with replicas outside stages: ranks with the same dense parameters are then not adjacent,
/// and experts cannot be distributed (megatron/core/parallel_state.py refuses it, too).
void check_order(const JsonNode& node, const ModelParallelOptions& parallel) {
  if (!node.has("rank_order")) return;
  if (parallel.pipeline == 1)
    node.mistake_at("rank_order", "only a pipeline has one; leave it out, or give a \"pipeline\" of 2 stages or more");
  else if (parallel.expert > 1 && parallel.rank_order == RankOrder::replicas_last)
    node.mistake_at("rank_order",
                    "experts are dealt out over replicas that are next to each other, which \"tp-cp-pp-dp\" "
                    "has not; leave it out, or leave \"expert\" out");
}

} // namespace

void open_layout(const JsonNode& node, ModelParallelOptions& parallel) {
  const auto open = [&](const char* key, int& degree) {
    if (!node.has(key)) degree = ModelParallelOptions::best;
  };
  open("tensor", parallel.tensor);
  open("context", parallel.context);
  open("pipeline", parallel.pipeline);
  open("micro_batches", parallel.micro_batches);
  open("expert", parallel.expert);
  if (!node.has("schedule")) parallel.virtual_stages = ModelParallelOptions::best;
  if (!node.has("recompute")) parallel.recompute = Recompute::best;
  if (node.has("data_parallel")) return;
  parallel.data_parallel = DataParallel::zero_1;
  parallel.shard_group = searched_replicas;
}

void check_degrees(const JsonNode& node, const ModelParallelOptions& parallel, StrategyUse use) {
  const bool interleaved = parallel.schedule == PipelineSchedule::interleaved;
  const bool cuts = parallel.pipeline != 1 || parallel.tensor != 1 || parallel.expert != 1 || parallel.context != 1;
  if (!cuts && parallel.data_parallel == DataParallel::all_reduce)
    node.mistake("nothing is parallel but data; give \"pipeline\", \"tensor\", \"context\" or \"expert\" above 1");
  if (parallel.pipeline == 1 && node.has("schedule"))
    node.mistake_at("schedule", "only a pipeline has one; leave it out, or give a \"pipeline\" of 2 stages or more");
  if (parallel.tensor == 1 && node.has("tensor_overlap"))
    node.mistake_at("tensor_overlap",
                    "only a tensor group has what overlaps; leave it out, or give a \"tensor\" of 2 or "
                    "more");
  if (use == StrategyUse::record && parallel.pipeline != 1 && !node.has("micro_batches"))
    node.mistake_at("micro_batches", "missing beside \"pipeline\"; give the number of micro-batches");
  check_experts(node, parallel);
  check_ranks(node, parallel);
  check_layout_fields(node, parallel);
  check_order(node, parallel);
  const bool searched =
      parallel.pipeline == ModelParallelOptions::best || parallel.micro_batches == ModelParallelOptions::best;
  if (interleaved && !searched && node.has("micro_batches") && parallel.micro_batches % parallel.pipeline != 0)
    node.mistake_at(
        "micro_batches",
        fmt::format("{} micro-batches are no multiple of the {} stages, which \"interleaved\" needs; give {}",
                    parallel.micro_batches, parallel.pipeline,
                    (parallel.micro_batches / parallel.pipeline + 1) * parallel.pipeline));
}

} // namespace ddlsim
