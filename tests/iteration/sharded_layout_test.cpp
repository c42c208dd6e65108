// Parameters sharded over replicas beside tensor groups, context groups and stages.

#include "sim/iteration/execution.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "sim/iteration/pipeline_graph.hpp"
#include "sim/iteration/pipeline_layout.hpp"
#include "tests/predict/even_model.hpp"

#include <catch2/catch.hpp>

#include <map>

namespace ddlsim {
namespace {

constexpr double parameters_of_layer = 250'000;

/// Four blocks of two layers with attention, a table before them and a head behind them, on nodes of four GPUs.
struct ShardedBlocks : EvenModel {
  ShardedBlocks() : EvenModel(10) {
    cluster.gpus_per_node = 4;
    model.sample = "sequence of 64 tokens";
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
      auto& layer = model.layers[l];
      layer.name = "block" + std::to_string((l - 1) / 2) + (l % 2 == 1 ? ".attention.scores" : ".output");
      if (l % 2 == 1) layer.kind = "attention";
    }
    model.layers.front().name = "words";
    model.layers.back().name = "head";
  }

  StepSetup layout(int tensor, int stages, int micro_batches, int gpus) const {
    auto asked = pipeline(stages, micro_batches, gpus);
    asked.strategy.parallel.tensor = tensor;
    asked.strategy.parallel.data_parallel = DataParallel::fsdp;
    asked.gpus_per_node = std::min(gpus, 4);
    return asked;
  }

  StepSetup fsdp(int micro_batches, int gpus) const {
    auto asked = setup(StrategyName::fsdp, gpus);
    asked.batch_per_gpu = 8;
    asked.strategy.sharded.micro_batches = micro_batches;
    asked.gpus_per_node = std::min(gpus, 4);
    return asked;
  }
};

/// Bytes that the groups move, by kind of operation; gathers and scatters inside layers are left out.
std::map<OperationKind, double> bytes_by_kind(const StepSetup& setup, const Parameters& sample) {
  std::map<OperationKind, double> bytes;
  const auto run = run_step(setup, sample, Fidelity::formula);
  for (const auto& operation : run.graph.operations)
    if (is_collective(run.graph, operation)) bytes[operation.kind] += operation.size_bytes;
  return bytes;
}

} // namespace

TEST_CASE("without any degree a layout that shards parameters takes as long as fsdp", "[pipeline][fsdp]") {
  const ShardedBlocks blocks;
  auto sample = blocks.sample;
  for (const double interference : {0.0, 0.3})
    for (const int gpus : {2, 4, 8})
      for (const int micro_batches : {1, 4})
        for (const bool frees : {true, false})
          for (const int group : {ShardedOptions::all_ranks, 2, ShardedOptions::a_node}) {
            INFO(interference << ", " << gpus << " GPUs, " << micro_batches << ", frees " << frees << ", groups "
                              << group);
            sample.interference = interference;
            auto plain = blocks.fsdp(micro_batches, gpus);
            plain.strategy.sharded.reshard_after_forward = frees;
            plain.strategy.sharded.shard_group = group;
            auto layout = blocks.layout(1, 1, micro_batches, gpus);
            layout.strategy.parallel.reshard_after_forward = frees;
            layout.strategy.parallel.shard_group = group;
            CHECK(time_step(layout, sample, Fidelity::formula).iteration_s ==
                  Approx(time_step(plain, sample, Fidelity::formula).iteration_s).epsilon(1e-9));
            CHECK(peak_memory(layout).total() == Approx(peak_memory(plain).total()).epsilon(1e-9));
          }
}

TEST_CASE("ranks of tensor groups gather and scatter their parts of all units", "[pipeline][fsdp]") {
  const ShardedBlocks blocks;
  const double all = 10 * parameters_of_layer;
  for (const int tensor : {1, 2})
    for (const int micro_batches : {1, 2, 4}) {
      auto bytes = bytes_by_kind(blocks.layout(tensor, 1, micro_batches, 8), blocks.sample);
      const double root = 2 * parameters_of_layer; // it stays from forward to backward
      CHECK(bytes[OperationKind::all_gather] == Approx(micro_batches * 4 * (2 * all - root) / tensor));
      CHECK(bytes[OperationKind::reduce_scatter] == Approx(micro_batches * 4 * all / tensor));
      auto kept = blocks.layout(tensor, 1, micro_batches, 8);
      kept.strategy.parallel.reshard_after_forward = false;
      CHECK(bytes_by_kind(kept, blocks.sample)[OperationKind::all_gather] == Approx(micro_batches * 4 * all / tensor));
    }
}

TEST_CASE("stages gather once an iteration, and those that free their units for every forward", "[pipeline][fsdp]") {
  const ShardedBlocks blocks;
  const double all = 10 * parameters_of_layer;
  for (const int micro_batches : {1, 2, 4, 8}) {
    auto asked = blocks.layout(1, 2, micro_batches, 8);
    auto bytes = bytes_by_kind(asked, blocks.sample);
    CHECK(bytes[OperationKind::all_gather] == Approx(4 * all));
    CHECK(bytes[OperationKind::reduce_scatter] == Approx(4 * all));
    asked.strategy.parallel.reshard_after_forward = true;
    bytes = bytes_by_kind(asked, blocks.sample);
    // The last stage gathers its blocks for its first forward and for every backward, which leaves them for the next
    // forward. The first stage does so for its first two forwards, and for every backward but the last, which follows
    // another one. A root is gathered once.
    const double of_blocks = 4 * 4 * parameters_of_layer; // of a stage
    const double roots = 4 * 2 * parameters_of_layer;
    CHECK(bytes[OperationKind::all_gather] == Approx(roots + of_blocks * 2 * (micro_batches + 1)));
    CHECK(bytes[OperationKind::reduce_scatter] == Approx(4 * all));
  }
}

TEST_CASE("a stage's first gather waits for what the stage before sends", "[pipeline][fsdp]") {
  const ShardedBlocks blocks;
  const auto run = run_step(blocks.layout(1, 2, 2, 8), blocks.sample, Fidelity::formula);
  double sent_s = 0;
  double gathered_s = 0;
  for (std::size_t i = 0; i < run.graph.operations.size(); ++i) {
    const auto& operation = run.graph.operations[i];
    const auto role = run.graph.streams[operation.stream].role;
    const bool first_send = operation.kind == OperationKind::send && operation.micro_batch == 0 && role == 0;
    if (first_send) sent_s = run.execution.spans[i].end_s;
    if (operation.kind == OperationKind::all_gather && role == 1 && gathered_s == 0)
      gathered_s = run.execution.spans[i].start_s;
  }
  CHECK(gathered_s == Approx(sent_s));
}

TEST_CASE("copies of the state sum what they have scattered", "[pipeline][fsdp][hybrid]") {
  const ShardedBlocks blocks;
  auto asked = blocks.layout(2, 1, 2, 8); // four replicas of tensor groups of two
  asked.strategy.parallel.shard_group = 2;
  auto bytes = bytes_by_kind(asked, blocks.sample);
  CHECK(bytes[OperationKind::all_reduce] == Approx(2 * 4 * 10 * parameters_of_layer / 2 / 2));
  CHECK_THAT(layout_complaint(
                 blocks.model,
                 [&] {
                   auto strategy = asked.strategy;
                   strategy.parallel.shard_group = 3;
                   return strategy;
                 }(),
                 8, 8, 4),
             Catch::Contains("no multiple of the 3 that share one copy"));
}

TEST_CASE("a rank keeps its share of a tensor group's part, and units that it gathers", "[pipeline][fsdp][memory]") {
  const ShardedBlocks blocks;
  auto asked = blocks.layout(2, 1, 4, 8);
  asked.precision = Precision::bf16;
  const double all = 10 * parameters_of_layer;
  const double block = 2 * parameters_of_layer;
  const auto need = peak_memory(asked);
  CHECK(need.weights == Approx(4 * all / 2 / 4)); // tensor groups of two, four replicas
  CHECK(need.gradients == Approx(4 * all / 2 / 4));
  CHECK(need.optimizer == Approx(8 * all / 2 / 4));
  const double sequence = 0.5 * 4 * 1e6 / 2; // of the other rank: 16 samples in four micro-batches
  CHECK(need.gathered == Approx(sequence + (2 * (2 * parameters_of_layer + 2 * block) + (2 + 4) * block) / 2));
  auto stages = blocks.layout(1, 2, 4, 8);
  stages.precision = Precision::bf16;
  CHECK(peak_memory(stages).gathered == Approx(2 * (all / 2 + block) + 4 * all / 2)); // whole gradients are summed
}

} // namespace ddlsim
