// Context parallelism: what a rank sends, when, what it holds, where its group is, and what cannot be.

#include "sim/iteration/execution.hpp"
#include "sim/iteration/iteration_graph.hpp"
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

constexpr double tokens = 96; ///< a sample
constexpr double width = 64;
constexpr double key_width = 8; ///< of keys, and of values: an eighth of the queries'
constexpr double bytes_of_number = 2;

/// A context group of c and a tensor group of t ranks, two stages of three blocks with attention, four micro-batches of
/// three samples in 16 bits.
Graph graph_of_context_group(int context, int tensor, int expert = 1) {
  std::vector<PieceShape> pieces(2);
  for (auto& piece : pieces) {
    piece.forward = piece.backward = 0.5;
    piece.parameters = 10;
    piece.attentive_blocks = 3;
    piece.sent_bytes = 4 * tokens * width; // tables have fp32
    piece.inner_bytes = 3 * 4 * tokens * width;
    piece.key_bytes = 3 * 2 * 4 * tokens * key_width;
    piece.routed_bytes = 3 * 4 * tokens * width;
    piece.expert_blocks = 3;
  }
  Machine machine;
  machine.ranks = 2 * context * tensor;
  PipelineGroups carriers;
  carriers.groups.resize(5);
  carriers.of_pair = {0, 0};
  carriers.of_tensor = 1;
  if (context > 1) carriers.of_context = 2;
  carriers.of_replicas = 3;
  if (expert > 1) carriers.of_expert = 4;
  ModelParallelOptions options{tensor, 2, 4, PipelineSchedule::one_f_one_b, 1};
  options.context = context;
  options.expert = expert;
  return pipeline_graph(pieces, {1, 2}, options, {3 * bytes_of_number / 4, 4}, carriers, machine);
}

/// What a rank sends in an iteration, by what travels: of a gather or a scatter among n ranks (n-1)/n.
std::map<std::string, double> sent_bytes_of_rank(const Graph& graph, int context, int tensor) {
  std::map<std::string, double> bytes;
  const auto ring = [](const Operation& operation, double ranks) {
    return operation.repeats * operation.size_bytes * (ranks - 1) / ranks;
  };
  for (const auto& operation : graph.operations) {
    if (operation.kind == OperationKind::send) bytes["sends"] += operation.size_bytes;
    if (operation.kind == OperationKind::all_reduce) bytes["summed"] += operation.size_bytes;
    if (operation.kind == OperationKind::all_to_all) bytes["tokens"] += operation.repeats * operation.size_bytes;
    if (operation.kind != OperationKind::all_gather && operation.kind != OperationKind::reduce_scatter) continue;
    const bool gathers = operation.kind == OperationKind::all_gather;
    if (operation.keys)
      bytes[gathers ? "keys and values" : "their gradients"] += ring(operation, context);
    else
      bytes["inside layers"] += ring(operation, tensor);
  }
  return bytes;
}

} // namespace

TEST_CASE("a context group sends keys and values once forward, and with their gradients back", "[pipeline][context]") {
  for (const int context : {2, 4, 16})
    for (const int tensor : {2, 4}) {
      INFO("context " << context << ", tensor " << tensor);
      auto bytes = sent_bytes_of_rank(graph_of_context_group(context, tensor), context, tensor);
      const double passes = 4 * 2;                         // micro-batches, stages
      const double numbers = 3 * tokens / context * width; // of a layer's outputs on a rank
      const double keys = 3 * tokens / context * 2 * key_width / tensor;
      const double of_layer = bytes_of_number * keys * (context - 1);       // its own part to all others
      CHECK(bytes["keys and values"] == Approx(passes * 3 * 2 * of_layer)); // for forward, and again for backward
      CHECK(bytes["their gradients"] == Approx(passes * 3 * of_layer));
      CHECK(bytes["sends"] == Approx(4 * 2 * bytes_of_number * numbers / tensor)); // there and back over one cut
      // Two gathers and two scatters of each block and pass.
      CHECK(bytes["inside layers"] == Approx(passes * 3 * 2 * 4 * bytes_of_number * numbers * (tensor - 1.0) / tensor));
      CHECK(bytes["summed"] == Approx(2 * 4 * 10.0 / tensor)); // whole parameters of a tensor group's rank
      bytes = sent_bytes_of_rank(graph_of_context_group(context, tensor, 2), context, tensor);
      CHECK(bytes["tokens"] == Approx(passes * 3 * 2 * 2 * bytes_of_number * numbers / tensor));
    }
}

TEST_CASE("attention waits for keys and values, and their time is a part of its own", "[pipeline][context]") {
  FixedTimes executor;
  executor.all_reduce_s = [](double) { return 0.1; };
  const auto graph = graph_of_context_group(4, 2);
  const auto execution = run_transfers(graph, executor);
  const auto exposed = exposed_parts(graph, execution, end_without_network_s(graph));
  // A stage runs four micro-batches, the first stage's first and last a stage's way before and behind the other's: five
  // forwards and backwards one after another, of which each has three gathers, and backward three scatters besides.
  CHECK(exposed.context_s == Approx(5 * (3 + 3 + 3) * 0.1));
  CHECK(exposed.tensor_s == Approx(5 * 2 * 3 * 4 * 0.1));
  CHECK(exposed.tensor_s + exposed.context_s + exposed.pipeline_s + exposed.data_parallel_s ==
        Approx(execution.end_s - end_without_network_s(graph)));
  for (const auto& operation : graph_of_context_group(1, 2).operations) CHECK_FALSE(operation.keys);
}

namespace {

/// Two blocks of attention with a key, a value and what follows, of 1 MB a sample of 64 tokens each, and 1 MB of
/// parameters; nodes of four GPUs that reach each other at 1 GB/s.
struct Sequences : EvenModel {
  Sequences() : EvenModel(8) {
    model.sample = "sequence of 64 tokens";
    cluster.gpus_per_node = 4;
    const char* const names[] = {".attention.key", ".attention.value", ".attention.fused", ".output"};
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
      model.layers[l].name = "block" + std::to_string(l / 4) + names[l % 4];
      if (l % 4 == 2) model.layers[l].kind = "attention";
      if (l % 4 < 2) model.layers[l].activation_bytes_per_sample = 0.25e6; // a fourth of the heads
    }
  }

  StepSetup on(int context, int gpus, int tensor = 1) const {
    auto asked = pipeline(1, 1, gpus);
    asked.strategy.parallel.context = context;
    asked.strategy.parallel.tensor = tensor;
    asked.gpus_per_node = std::min(gpus, 4);
    return asked;
  }

  std::string message(int context, int gpus, int tensor = 1) const {
    return layout_complaint(model, on(context, gpus, tensor).strategy, 8, gpus, 4);
  }
};

} // namespace

TEST_CASE("a context group pays for keys and values and its gradients, and for nothing else", "[pipeline][context]") {
  // 16 samples on two GPUs: 8 MB of keys and values a block, of which each rank has half: gathered twice, scattered once,
  // in two blocks, 4 MB over 1 GB/s inside the node. Then both sum 8 MB, a ring of two: 2 steps of 4 MB.
  const Sequences model;
  for (const auto fidelity : {Fidelity::formula, Fidelity::by_default}) {
    const auto time = time_step(model.on(2, 2), model.sample, fidelity);
    CHECK(time.parts.bubble_s == Approx(0).margin(1e-12));
    CHECK(time.parts.compute_s == Approx(0.3));
    CHECK(time.parts.exposed.context_s == Approx(2 * 3 * 0.004).epsilon(1e-6));
    CHECK(time.parts.exposed.data_parallel_s == Approx(2 * 0.004).epsilon(1e-6));
    CHECK(time.parts.exposed.tensor_s == Approx(0).margin(1e-12));
    CHECK(time.parts.exposed_communication_s == Approx(2 * 3 * 0.004 + 2 * 0.004).epsilon(1e-6));
  }
  // Two nodes of four: 64 samples, 32 MB a block, seven steps of 4 MB over one NIC and of 1 ms from node to node.
  const auto across = time_step(model.on(8, 8), model.sample, Fidelity::formula);
  CHECK(across.parts.exposed.context_s > 2 * 3 * 7 * 0.004);
  CHECK(across.parts.compute_s == Approx(0.3));
  auto half = model.on(2, 2);
  half.precision = Precision::bf16;
  CHECK(time_step(half, model.sample, Fidelity::formula).parts.exposed.context_s ==
        Approx(2 * 3 * 0.002).epsilon(1e-6));
  const auto free = time_step(model.on(2, 8, 2), free_network(model.sample), Fidelity::formula);
  CHECK(free.parts.exposed_communication_s == Approx(0).margin(1e-9));
  CHECK(free.iteration_s == Approx(0.3));
}

TEST_CASE("a sequence that cannot be cut is reported with what to do", "[pipeline][context][layout]") {
  Sequences model;
  CHECK(model.message(2, 2).empty());
  CHECK(model.message(16, 16).empty()); // of four nodes
  CHECK(model.message(2, 8, 2).empty());
  CHECK_THAT(model.message(3, 3),
             Catch::Contains("64 tokens") && Catch::Contains("2 equal chunks for each of 3 ranks"));
  CHECK_THAT(model.message(64, 64), Catch::Contains("64 tokens"));
  CHECK_THAT(model.message(2, 3), Catch::Contains("no multiple of the 2 of a replica"));
  model.model.sample = "sequence of 60 tokens";
  CHECK_THAT(model.message(6, 12),
             Catch::Contains("a context group of 6 GPUs") && Catch::Contains("nodes of 4 unevenly"));
  CHECK(model.message(3, 3).empty()); // on one node
  CHECK(most_gpus_laid_out(model.on(6, 12).strategy.parallel, 30, 4) == 0);
  CHECK(most_gpus_laid_out(model.on(2, 12).strategy.parallel, 31, 4) == 28);
  model.model.sample = "image 3x224x224";
  CHECK_THAT(model.message(2, 2), Catch::Contains("0 tokens"));
  model.model.layers[0].name = "block0.attention.k";
  CHECK_THAT(model.message(2, 2), Catch::Contains("without a layer called \"key\""));
  const EvenModel even(8);
  CHECK_THAT(layout_complaint(even.model, model.on(2, 2).strategy, 8, 2, 4),
             Catch::Contains("no block with attention"));
  CHECK_THROWS_WITH(time_step(model.on(2, 2), model.sample, Fidelity::formula), Catch::Contains("\"key\""));
}

TEST_CASE("a rank of a context group holds its part of the outputs, and keys and values of one block",
          "[pipeline][context][memory]") {
  const Sequences model;
  const double parameters = 8 * 250'000;
  auto alone = model.on(1, 4, 1);
  alone.precision = Precision::bf16;
  alone.batch_per_gpu = 8;
  const double activations = peak_memory(alone).activations;
  const double keys = 8 * 0.5e6; // of a block
  for (const int context : {1, 2, 4})
    for (const int tensor : {1, 2})
      for (const int replicas : {1, 2}) {
        INFO(context << " x " << tensor << " x " << replicas);
        auto asked = model.on(context, 4, tensor);
        asked.strategy.parallel.data_parallel = DataParallel::zero_1;
        asked.gpus = context * tensor * replicas;
        asked.precision = Precision::bf16;
        asked.batch_per_gpu = 8;
        const auto need = peak_memory(asked);
        CHECK(need.weights == Approx(2 * parameters / tensor));
        CHECK(need.gradients == Approx(4 * parameters / tensor));
        CHECK(need.optimizer == Approx(12 * parameters / tensor / (context * replicas)));
        // A replica has as many times the samples as it has GPUs, so that activations do not depend on either.
        CHECK(need.activations == Approx(activations));
        if (tensor == 1) CHECK(need.gathered == Approx(0.5 * keys * (context - 1)));
      }
}

TEST_CASE("context groups are next to each other outside tensor groups, and replicas outside them",
          "[pipeline][context][layout]") {
  Machine machine; // eight nodes of eight ranks: 80 GB/s a NIC, leaves of two nodes
  machine.ranks = 64;
  machine.ranks_per_node = 8;
  machine.nic_Bps = 80e9;
  machine.nodes_per_leaf = 2;
  machine.uplink_Bps = 160e9;
  const auto inside = machine_of_context(machine, {1, 8, 2, 4}); // a node
  CHECK(inside.ranks == 4);
  CHECK(inside.nodes() == 1);
  const auto of_eight = machine_of_context(machine, {1, 2, 8, 4}); // a rank of each of four nodes; eight groups beside
  CHECK(of_eight.ranks == 4);
  CHECK(of_eight.nodes() == 4);
  CHECK(of_eight.nic_Bps == 10e9);
  CHECK(of_eight.uplink_Bps == 20e9);
  const auto replicas = machine_of_replicas(machine, {1, 2, 8, 4});
  CHECK(replicas.ranks == 8);
  CHECK(replicas.nic_Bps == 10e9);
  CHECK(machine_of_expert_replicas(machine, {1, 16, 1, 4}, 8).ranks == 8);
  CHECK(machine_of_pair(machine, {2, 1, 8, 4}, 0).nic_Bps == 10e9);
}

} // namespace ddlsim
