// Context groups that attend in a ring, or exchange sequences for heads.

#include "sim/iteration/execution.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "sim/iteration/pipeline_graph.hpp"
#include "sim/iteration/pipeline_layout.hpp"
#include "tests/predict/even_model.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

constexpr double key_bytes = 64 * 4 * 1024; ///< of a sample: 1,024 numbers a token

/// Two blocks of four layers of 1 MB a sample of 64 tokens each; attention is a fourth of the compute. Nodes of four GPUs
/// that reach each other at 1 GB/s.
struct ContextBlocks : EvenModel {
  ContextBlocks() : EvenModel(8) {
    model.sample = "sequence of 64 tokens";
    cluster.gpus_per_node = 4;
    const char* const names[] = {".attention.key", ".attention.value", ".attention.fused", ".output"};
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
      model.layers[l].name = "block" + std::to_string(l / 4) + names[l % 4];
      if (l % 4 == 2) model.layers[l].kind = "attention";
      if (l % 4 < 2) model.layers[l].activation_bytes_per_sample = key_bytes;
    }
  }

  StepSetup on(int context, int gpus, ContextKind kind) const {
    auto asked = pipeline(1, 1, gpus);
    asked.strategy.parallel.context = context;
    asked.strategy.parallel.context_kind = kind;
    asked.gpus_per_node = std::min(gpus, 4);
    return asked;
  }

  double context_s(const StepSetup& setup) const {
    return time_step(setup, sample, Fidelity::formula).parts.exposed.context_s;
  }
};

} // namespace

TEST_CASE("a ring adds only what it sends longer than ranks attend", "[pipeline][context]") {
  const ContextBlocks blocks;
  // 16 samples on two GPUs: 8.4 MB of keys and values a block, a half of them sent: 4.2 ms forward, and twice as long
  // backward. Forward takes 0.1 s, a fourth of it attention, a half of which is beside what is sent: 12.5 ms for two
  // blocks; backward twice as long.
  const double sent_s = 16 * key_bytes / 1e9;
  CHECK(blocks.context_s(blocks.on(2, 2, ContextKind::ring)) == Approx(0).margin(1e-9));
  CHECK(blocks.context_s(blocks.on(2, 2, ContextKind::all_gather)) == Approx(2 * 3 * sent_s).epsilon(1e-6));
  auto slow = blocks;
  slow.sample.intra_efficiency = 0.1; // ten times as long
  CHECK(slow.context_s(slow.on(2, 2, ContextKind::ring)) ==
        Approx((2 * 10 * sent_s - 0.0125) + (2 * 20 * sent_s - 0.025)).epsilon(1e-6));
  const auto whole = time_step(slow.on(2, 2, ContextKind::ring), slow.sample, Fidelity::formula);
  CHECK(whole.parts.compute_s == Approx(0.3));
  CHECK(whole.parts.bubble_s == Approx(0).margin(1e-9));
}

TEST_CASE("ranks that exchange heads send queries, keys, values and outputs twice", "[pipeline][context]") {
  const ContextBlocks blocks;
  const auto run = run_step(blocks.on(4, 4, ContextKind::all_to_all), blocks.sample, Fidelity::formula);
  double bytes = 0;
  for (const auto& operation : run.graph.operations) {
    if (operation.kind == OperationKind::all_to_all) bytes += operation.repeats * operation.size_bytes;
    if (operation.keys) CHECK(operation.kind == OperationKind::all_to_all);
  }
  const double samples = 32;
  const double of_rank = samples / 4 * (1e6 + 2 * key_bytes + 1e6); // queries, keys and values, outputs
  CHECK(bytes == Approx(2 * 2 * of_rank));                          // two blocks, forward and backward
  CHECK(blocks.context_s(blocks.on(4, 4, ContextKind::all_to_all)) > 0);
}

TEST_CASE("what a rank of a context group holds of others depends on how it attends", "[pipeline][context][memory]") {
  const ContextBlocks blocks;
  const double keys = 32 * 2 * key_bytes; // of a block, of a replica's 32 samples
  CHECK(peak_memory(blocks.on(4, 4, ContextKind::all_gather)).gathered == Approx(keys * 3 / 4));
  CHECK(peak_memory(blocks.on(4, 4, ContextKind::ring)).gathered == Approx(keys * 2 / 4));
  CHECK(peak_memory(blocks.on(4, 4, ContextKind::all_to_all)).gathered == Approx(0).margin(1));
}

TEST_CASE("more ranks than heads of keys are reported beside other mistakes", "[pipeline][context][layout]") {
  ContextBlocks blocks;
  const double numbers = 256; // of keys a token: four heads of 64
  for (auto& layer : blocks.model.layers)
    if (layer.name.ends_with(".key")) layer.activation_bytes_per_sample = 64 * 4 * numbers;
  const auto complaint = [&](int context, int gpus) {
    return layout_complaint(blocks.model, blocks.on(context, gpus, ContextKind::all_to_all).strategy, 8, gpus, 4);
  };
  CHECK(complaint(4, 4).empty());
  CHECK_THAT(complaint(8, 8), Catch::Contains("256 numbers a token") && Catch::Contains("smaller \"context\""));
  CHECK_THAT(complaint(3, 4), Catch::Contains("2 equal chunks for each of 3 ranks") &&
                                  Catch::Contains("besides, block0.attention.key") &&
                                  Catch::Contains("besides, 4 GPUs are no multiple of the 3"));
  auto over_node = blocks.on(2, 16, ContextKind::ring).strategy;
  over_node.parallel.tensor = 8; // on nodes of four
  CHECK_THAT(layout_complaint(blocks.model, over_node, 8, 24, 4),
             Catch::Contains("inside a node only") && Catch::Contains("24 GPUs are no multiple of the 16"));
}

} // namespace ddlsim
