// Pipelines without a bubble, with uneven stages, and on parts of NVLink domains.

#include "sim/compute/piece_shape.hpp"
#include "sim/iteration/execution.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "sim/iteration/pipeline_graph.hpp"
#include "sim/iteration/pipeline_layout.hpp"
#include "sim/iteration/pipeline_setup.hpp"
#include "tests/predict/even_model.hpp"

#include <catch2/catch.hpp>

#include <map>

namespace ddlsim {
namespace {

ModelParallelOptions zero_bubble(int stages, int micro_batches) {
  return {1, stages, micro_batches, PipelineSchedule::zero_bubble, 1};
}

/// Seconds of an iteration of equal stages, each of which takes a second for forward, for gradients of inputs and for
/// those of weights, of each micro-batch.
double end_s(const ModelParallelOptions& options, double weights_s = 1) {
  PieceShape piece;
  piece.forward = piece.backward = 1.0 / options.pipeline;
  piece.weight_backward = piece.backward * weights_s / (1 + weights_s);
  piece.sent_bytes = 1;
  const std::vector<PieceShape> pieces(static_cast<std::size_t>(options.pipeline), piece);
  Machine machine;
  machine.ranks = options.pipeline;
  PipelineGroups carriers;
  carriers.groups.resize(1);
  carriers.of_pair.assign(static_cast<std::size_t>(options.pipeline), 0);
  const double micro_batches = options.micro_batches;
  const WholePasses passes{micro_batches, (1 + weights_s) * micro_batches};
  return end_without_network_s(pipeline_graph(pieces, passes, options, {1, 4}, carriers, machine));
}

} // namespace

TEST_CASE("a pipeline without a bubble idles for forward and gradients of inputs less those of weights", "[pipeline]") {
  // Qi et al. 2024, section 2.2: (p-1)(T_F + T_B - T_W).
  for (const int stages : {2, 3, 4, 8})
    for (const int micro_batches : {8, 9, 16, 32}) {
      INFO(stages << " stages, " << micro_batches << " micro-batches");
      CHECK(end_s(zero_bubble(stages, micro_batches)) == Approx(3 * micro_batches + stages - 1));
      auto alternating = zero_bubble(stages, micro_batches);
      alternating.schedule = PipelineSchedule::one_f_one_b;
      CHECK(end_s(alternating) == Approx(3 * (micro_batches + stages - 1)));
    }
}

TEST_CASE("every micro-batch has gradients of inputs and then of weights", "[pipeline]") {
  for (const auto& options : {zero_bubble(4, 8), zero_bubble(4, 2), zero_bubble(1, 3)})
    for (int stage = 0; stage < options.pipeline; ++stage) {
      std::map<int, int> done; // 1: forward, 2: gradients of inputs, 3: of weights
      for (const auto& step : steps_of_stage(options, stage)) {
        const int before = step.forward ? 0 : step.backward == BackwardPart::inputs ? 1 : 2;
        CHECK(done[step.micro_batch] == before);
        ++done[step.micro_batch];
      }
      CHECK(done.size() == at(options.micro_batches));
      for (const auto& [micro_batch, passes] : done) CHECK(passes == 3);
    }
}

TEST_CASE("a stage keeps outputs until the gradients of weights, as many as the first stage of 1F1B",
          "[pipeline][memory]") {
  const EvenModel even(8);
  auto asked = even.pipeline(4, 8, 4, PipelineSchedule::zero_bubble);
  const double late = peak_memory(asked).activations;
  asked.strategy.parallel.schedule = PipelineSchedule::one_f_one_b;
  CHECK(late >= peak_memory(asked).activations);
  CHECK(late <= 4 * 4 * 2e6); // four micro-batches of four samples through two layers of 1 MB
}

namespace {

/// A table, eight blocks and a head that takes as long as four of them.
struct BlocksAndHead : EvenModel {
  BlocksAndHead() : EvenModel(10) {
    for (std::size_t l = 1; l < 9; ++l) model.layers[l].name = "block" + std::to_string(l - 1) + ".mlp";
    model.layers.front().name = "words";
    model.layers.back().name = "head";
    model.layers.back().forward_flop_per_sample *= 4;
  }

  StepSetup with_blocks(int first, int last, int stages = 4, int virtual_stages = 1) const {
    auto asked =
        pipeline(stages, 4, 4, virtual_stages > 1 ? PipelineSchedule::interleaved : PipelineSchedule::one_f_one_b);
    asked.strategy.parallel.virtual_stages = virtual_stages;
    asked.strategy.parallel.first_stage_blocks = first;
    asked.strategy.parallel.last_stage_blocks = last;
    return asked;
  }

  std::vector<int> blocks_of(const StepSetup& asked) const {
    std::vector<int> found;
    for (const auto& piece : pieces_of_layout(asked)) found.push_back(piece.numbered_blocks);
    return found;
  }
};

} // namespace

TEST_CASE("the first and the last stage have as many blocks as are stated", "[pipeline][layout]") {
  const BlocksAndHead model;
  CHECK(model.blocks_of(model.with_blocks(1, 1)) == std::vector<int>{1, 3, 3, 1});
  CHECK(model.blocks_of(model.with_blocks(4, 0)).front() == 4);
  CHECK(model.blocks_of(model.with_blocks(0, 2)).back() == 2);
  CHECK(model.blocks_of(model.with_blocks(6, 2, 2, 2)) == std::vector<int>{3, 1, 3, 1});
  const auto complaint = [&](int first, int last) {
    return layout_complaint(model.model, model.with_blocks(first, last).strategy, 8, 4, 4);
  };
  CHECK(complaint(1, 1).empty());
  CHECK_THAT(complaint(8, 1),
             Catch::Contains("8 numbered blocks") && Catch::Contains("leave some for the other stages"));
  CHECK(model.blocks_of(model.with_blocks(8, 1)).empty());
  CHECK(peak_memory(model.with_blocks(8, 1)).total() == 0);
}

TEST_CASE("layouts use any whole nodes of a domain", "[pipeline][layout]") {
  // Domains of 18 nodes of four GPUs.
  const ModelParallelOptions stages{1, 2, 8, PipelineSchedule::one_f_one_b, 1};
  CHECK(gpus_of_domain_used(stages, 128, 4, 18) == 64);
  CHECK(gpus_of_domain_used(stages, 144, 4, 18) == 72);
  CHECK(gpus_of_domain_used(stages, 64, 4, 18) == 72); // in one domain
  CHECK(gpus_of_domain_used({8, 1, 8, PipelineSchedule::one_f_one_b, 1}, 256, 4, 18) == 64);
  CHECK(gpus_of_domain_used({64, 1, 8, PipelineSchedule::one_f_one_b, 1}, 256, 4, 18) == 64);
}

TEST_CASE("a layout on parts of domains has their NICs only", "[pipeline][layout]") {
  EvenModel even(8);
  even.cluster.gpus_per_node = 4;
  even.cluster.intra.domain_nodes = 3; // twelve GPUs, of which eight are used
  auto asked = even.pipeline(2, 8, 16);
  asked.gpus_per_node = 4;
  const auto machine = machine_of(asked, even.sample);
  CHECK(machine.ranks_per_node == 8);
  CHECK(machine.nodes() == 2);
  const auto all = build_machine(asked.cluster, asked.transport, even.sample, 16, 4);
  CHECK(all.ranks_per_node == 12);
  CHECK(machine.nic_Bps == Approx(all.nic_Bps * 8 / 12));
  CHECK(time_step(asked, even.sample, Fidelity::formula).iteration_s > 0);
}

TEST_CASE("all-reduces take micro-batches and recomputation", "[all-reduce]") {
  const EvenModel even(8);
  auto asked = even.setup(StrategyName::ring, 2);
  const auto whole = time_step(asked, even.sample, Fidelity::formula);
  asked.strategy.sharded.micro_batches = 5;
  const auto parts = time_step(asked, even.sample, Fidelity::formula);
  // Gradients are summed once, after the last backward, so that nothing changes where nothing overlaps.
  CHECK(parts.parts.compute_s == Approx(whole.parts.compute_s));
  CHECK(parts.iteration_s == Approx(whole.iteration_s));
  CHECK(to_text(asked.strategy) == "ring(5 micro-batches)");
  CHECK(peak_memory(asked).activations == Approx(7e6 * 10 / 5));
  auto numbered = even;
  for (std::size_t l = 0; l < numbered.model.layers.size(); ++l)
    numbered.model.layers[l].name = "block" + std::to_string(l) + ".mlp";
  auto again = numbered.setup(StrategyName::ring, 2);
  again.strategy.sharded.recompute = Recompute::full;
  const auto longer = time_step(again, numbered.sample, Fidelity::formula);
  CHECK(longer.parts.compute_s == Approx(0.4)); // a forward more
  CHECK(longer.iteration_s == Approx(whole.iteration_s + 0.1));
}

} // namespace ddlsim
