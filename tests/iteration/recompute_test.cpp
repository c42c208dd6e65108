// What a pipeline computes again: the time it takes, what travels once more, and the memory that it saves.

#include "sim/compute/piece_shape.hpp"
#include "sim/iteration/execution.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/memory_fit.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "sim/iteration/pipeline_graph.hpp"
#include "sim/iteration/pipeline_layout.hpp"
#include "tests/iteration/fixed_times.hpp"
#include "tests/predict/even_model.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>

namespace ddlsim {
namespace {

/// Eight blocks of two layers of equal work, of which the first is attention without parameters. Backward takes twice
/// as long as forward.
struct Blocks : EvenModel {
  Blocks() : EvenModel(16) {
    for (std::size_t l = 0; l < model.layers.size(); ++l)
      model.layers[l].name = "block" + std::to_string(l / 2) + (l % 2 == 0 ? ".attention.scores" : ".mlp");
    for (std::size_t l = 0; l < model.layers.size(); l += 2) {
      model.layers[l].kind = "attention";
      model.layers[l].activation_bytes_per_sample = 3e6;
    }
    for (std::size_t l = 0; l < model.layers.size(); l += 2) model.layers[l].tensors.clear();
    sample.forward_share = 1.0 / 3;
  }

  StepSetup on(const ModelParallelOptions& options, Recompute recompute, int gpus) const {
    auto asked = pipeline(1, 1, gpus);
    asked.strategy.parallel = options;
    asked.strategy.parallel.recompute = recompute;
    asked.gpus_per_node = std::min(gpus, 4);
    return asked;
  }

  StepTime free_time(const ModelParallelOptions& options, Recompute recompute, int gpus) const {
    return time_step(on(options, recompute, gpus), free_network(sample), Fidelity::formula);
  }
};

} // namespace

TEST_CASE("what is computed again whole takes a third more on a free network, its bubble included",
          "[pipeline][recompute]") {
  // Chen et al., arXiv:1604.06174: one more forward; 1 + 1 + 2 of 1 + 2.
  const Blocks blocks;
  for (const auto schedule : {PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved})
    for (const int stages : {2, 4}) {
      INFO(to_text(schedule) << ", " << stages << " stages");
      const int pieces = schedule == PipelineSchedule::interleaved ? 2 : 1;
      const ModelParallelOptions options{1, stages, 16, schedule, pieces};
      const auto plain = blocks.free_time(options, Recompute::none, 8);
      const auto full = blocks.free_time(options, Recompute::full, 8);
      CHECK(full.parts.compute_s == Approx(4.0 / 3 * plain.parts.compute_s).epsilon(1e-9));
      CHECK(full.iteration_s == Approx(4.0 / 3 * plain.iteration_s).epsilon(1e-9));
      CHECK(full.parts.bubble_s == Approx(full.parts.compute_s * (stages - 1) / (16 * pieces)).epsilon(1e-9));
      CHECK(full.parts.exposed_communication_s == Approx(0).margin(1e-9));
    }
  const auto group = blocks.free_time({2, 1, 1}, Recompute::full, 2);
  CHECK(group.iteration_s == Approx(4.0 / 3 * blocks.free_time({2, 1, 1}, Recompute::none, 2).iteration_s));
}

TEST_CASE("attention alone computed again takes its share of a forward more", "[pipeline][recompute]") {
  auto blocks = Blocks();
  const ModelParallelOptions options{1, 4, 8, PipelineSchedule::one_f_one_b, 1};
  const double plain_s = blocks.free_time(options, Recompute::none, 4).parts.compute_s;
  for (auto& layer : blocks.model.layers)
    if (layer.kind == "attention") layer.forward_flop_per_sample /= 3; // a quarter of the forward
  CHECK(blocks.free_time(options, Recompute::selective, 4).parts.compute_s == Approx(plain_s * (1 + 0.25 / 3)));
  CHECK(blocks.free_time(options, Recompute::selective, 4).parts.bubble_s == Approx(plain_s * (1 + 0.25 / 3) * 3 / 8));
}

TEST_CASE("layers outside blocks are not computed again, and weigh on where the model is cut", "[pieces][recompute]") {
  auto blocks = Blocks();
  blocks.model.layers.front().name = "words"; // one of 16
  const auto pieces = piece_shapes(blocks.model, blocks.gpu, Precision::fp32, 1, 2, Recompute::full);
  CHECK(pieces[0].again.forward + pieces[1].again.forward == Approx(15.0 / 16));
  CHECK(pieces[0].again.attentive_blocks == 3);
  CHECK(pieces[0].again.attentive_blocks + pieces[1].again.attentive_blocks == 7); // one has none left
  for (const auto& piece : piece_shapes(blocks.model, blocks.gpu, Precision::fp32, 1, 2)) {
    CHECK(piece.again.forward == 0);
  }
}

namespace {

/// Two stages of three blocks, which are computed again.
std::vector<PieceShape> pieces_with(const RecomputedShape& again) {
  std::vector<PieceShape> pieces(2);
  for (auto& piece : pieces) {
    piece.forward = piece.backward = 0.5;
    piece.sent_bytes = 4;
    piece.inner_bytes = 3 * 5;
    piece.key_bytes = 3 * 2;
    piece.routed_bytes = 3 * 6;
    piece.attentive_blocks = piece.expert_blocks = 3;
    piece.again = again;
  }
  return pieces;
}

PipelineGroups all_groups() {
  PipelineGroups carriers;
  carriers.groups.resize(4);
  carriers.of_pair = {0, 0};
  carriers.of_tensor = 1;
  carriers.of_context = 2;
  carriers.of_expert = 3;
  return carriers;
}

/// Operations times bytes, by kind, forward and backward of all micro-batches; those of keys by themselves.
std::map<std::string, double> bytes_of(const std::vector<PieceShape>& pieces, const PipelineGroups& carriers,
                                       int micro_batches, bool overlap = false) {
  Machine machine;
  machine.ranks = machine.ranks_per_node = 8;
  ModelParallelOptions options{2, 2, micro_batches, PipelineSchedule::one_f_one_b, 1};
  options.context = carriers.of_context < 0 ? 1 : 2;
  options.expert = carriers.of_expert < 0 ? 1 : 2;
  options.tensor_overlap = overlap;
  std::map<std::string, double> bytes;
  for (const auto& operation : pipeline_graph(pieces, {1, 2}, options, {1, 4}, carriers, machine).operations) {
    const double moved = operation.repeats * operation.size_bytes;
    if (operation.kind == OperationKind::all_to_all) bytes["tokens"] += moved;
    if (operation.kind == OperationKind::all_gather) bytes[operation.keys ? "keys gathered" : "gathered"] += moved;
    if (operation.kind == OperationKind::reduce_scatter)
      bytes[operation.keys ? "keys scattered" : "scattered"] += moved;
    if (operation.kind == OperationKind::compute) bytes["compute"] += operation.duration_s;
  }
  return bytes;
}

} // namespace

TEST_CASE("a block that is computed again repeats what its forward gathers, scatters and exchanges",
          "[pipeline][recompute]") {
  const double passes = 4 * 2; // micro-batches, stages
  RecomputedShape whole;
  whole.forward = 0.5;
  whole.attentive_blocks = whole.expert_blocks = whole.key_blocks = 3;
  RecomputedShape attention;
  attention.key_blocks = 3;
  for (const bool overlap : {false, true}) {
    auto plain = bytes_of(pieces_with({}), all_groups(), 4, overlap);
    auto again = bytes_of(pieces_with(whole), all_groups(), 4, overlap);
    auto selective = bytes_of(pieces_with(attention), all_groups(), 4, overlap);
    const double of_pass = 3 * (5.0 + 6) / 2; // half of a sequence before attention, half of the experts' tokens
    CHECK(plain["gathered"] == Approx(passes * 2 * of_pass));
    CHECK(again["gathered"] == Approx(passes * 3 * of_pass));
    CHECK(again["scattered"] == Approx(passes * 3 * of_pass));
    CHECK(selective["gathered"] == plain["gathered"]);
    CHECK(plain["keys gathered"] == Approx(passes * 2 * 3 * 2 / 2.0));
    CHECK(again["keys gathered"] == Approx(passes * 3 * 3 * 2 / 2.0));
    CHECK(selective["keys gathered"] == again["keys gathered"]);
    CHECK(again["keys scattered"] == plain["keys scattered"]);
    CHECK(again["tokens"] == Approx(1.5 * plain["tokens"]));
    CHECK(selective["tokens"] == plain["tokens"]);
    // Two stages, half of the model and of the micro-batches' time each.
    CHECK(plain["compute"] == Approx(2 * (1 + 2)));
    CHECK(again["compute"] == Approx(2 * (1 + 1 + 2)));
  }
}

TEST_CASE("cut layers that are computed again are gathered again", "[pipeline][recompute]") {
  PieceShape piece;
  piece.forward = piece.backward = 0.5;
  piece.cut_layers = 3;
  piece.inner_bytes = 7 + 5 + 3;
  piece.again.cut_layers = 2;
  piece.again.inner_bytes = 7 + 3;
  auto carriers = all_groups();
  carriers.of_context = carriers.of_expert = -1;
  auto bytes = bytes_of({piece, piece}, carriers, 4);
  CHECK(bytes["gathered"] == Approx(4 * 2 * (15 + 10)));
  CHECK(bytes["scattered"] == Approx(4 * 2 * 15));
}

TEST_CASE("a tensor group shows what is gathered and scattered once more", "[pipeline][recompute]") {
  // 16 samples of 1 MB out of each of eight blocks, over 1 GB/s inside a node of two: eight halves of 16 MB a block in
  // forward and backward, and four more where it is computed again.
  const Blocks blocks;
  const auto exposed_s = [&](Recompute recompute) {
    return time_step(blocks.on({2, 1, 1}, recompute, 2), blocks.sample, Fidelity::formula).parts.exposed.tensor_s;
  };
  CHECK(exposed_s(Recompute::none) == Approx(8 * 8 * 0.008).epsilon(1e-6));
  CHECK(exposed_s(Recompute::selective) == Approx(8 * 8 * 0.008).epsilon(1e-6));
  CHECK(exposed_s(Recompute::full) == Approx(8 * 12 * 0.008).epsilon(1e-6));
}

TEST_CASE("a stage keeps the inputs of what is computed again, of all micro-batches that wait",
          "[pipeline][memory][recompute]") {
  const Blocks blocks;
  const double samples = 8 * 4 * 2 / 8.0; // of a micro-batch of a replica of 4 stages of 2
  for (const auto schedule : {PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b}) {
    const ModelParallelOptions options{2, 4, 8, schedule, 1};
    const auto activations = [&](Recompute recompute, Precision precision = Precision::fp32) {
      auto asked = blocks.on(options, recompute, 8);
      asked.precision = precision;
      return peak_memory(asked).activations;
    };
    // Of a block attention keeps its input and its output, 1 and 3 MB a sample, and the layer behind it nothing more.
    // With full recomputation a block keeps its input. The first block of all takes in samples, which are none's output.
    const bool all_wait = schedule == PipelineSchedule::gpipe;
    CHECK(activations(Recompute::none) == Approx((all_wait ? 8 * 8e6 : 4 * 7e6) * samples / 2));
    CHECK(activations(Recompute::full) == Approx((all_wait ? 8 * 2e6 : 3 * 2e6) * samples / 2));
    CHECK(activations(Recompute::full, Precision::bf16) == Approx(activations(Recompute::full) / 2));
    CHECK(activations(Recompute::selective) == activations(Recompute::none)); // its input and its output are needed
  }
}

TEST_CASE("a model of which nothing would be computed again is reported so", "[pipeline][layout][recompute]") {
  Blocks blocks;
  const ModelParallelOptions options{1, 2, 1};
  const auto message = [&](Recompute recompute) {
    return layout_complaint(blocks.model, blocks.on(options, recompute, 2).strategy, 8, 2, 4);
  };
  CHECK(message(Recompute::full).empty());
  CHECK(message(Recompute::selective).empty());
  for (auto& layer : blocks.model.layers) layer.kind = "linear";
  for (auto& layer : blocks.model.layers) layer.name = layer.name.substr(0, layer.name.find('.')) + ".mlp";
  CHECK(message(Recompute::full).empty());
  CHECK_THAT(message(Recompute::selective),
             Catch::Contains("no attention without parameters") && Catch::Contains("leave \"recompute\" out"));
  for (auto& layer : blocks.model.layers) layer.name = "features." + layer.name.substr(5);
  CHECK_THAT(message(Recompute::full), Catch::Contains("no numbered block"));
  CHECK(message(Recompute::none).empty());
}

TEST_CASE("a pipeline that does not fit is advised to compute again, where it does not yet", "[memory][recompute]") {
  Blocks blocks;
  for (auto& layer : blocks.model.layers) layer.activation_bytes_per_sample *= 1000; // 4 GB a block and sample
  blocks.gpu.memory_bytes = 230e9;
  const auto message = [&](Recompute recompute) { return memory_complaint(blocks.on({1, 2, 1}, recompute, 2)); };
  CHECK_THAT(message(Recompute::none), Catch::Contains("\"recompute\": \"full\""));
  CHECK(message(Recompute::full).empty());
  blocks.gpu.memory_bytes = 30e9;
  CHECK_THAT(message(Recompute::full), Catch::Contains("a GPU of") && !Catch::Contains("recompute\":"));
}

} // namespace ddlsim
