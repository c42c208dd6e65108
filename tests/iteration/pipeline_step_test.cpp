// Pipelines of a small cluster: where their ranks are, what an iteration takes, what cannot be.

#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/memory_fit.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "sim/iteration/pipeline_layout.hpp"
#include "tests/predict/even_model.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

/// Eight nodes of eight ranks: 80 GB/s a NIC, 10 GB/s inside, leaves of two nodes.
Machine eight_nodes() {
  Machine machine;
  machine.ranks = 64;
  machine.ranks_per_node = 8;
  machine.intra_Bps = 20e9;
  machine.nic_Bps = 80e9;
  machine.nodes_per_leaf = 2;
  machine.uplink_Bps = 160e9;
  return machine;
}

} // namespace

TEST_CASE("pairs of stages share what lies between them", "[pipeline][layout]") {
  const auto machine = eight_nodes();
  const auto inside = machine_of_pair(machine, {32, 2}, 0); // four stages a node
  CHECK(inside.nodes() == 1);
  CHECK(inside.intra_Bps == 20e9);
  const auto two_pairs = machine_of_pair(machine, {32, 2}, 3);
  CHECK(two_pairs.nodes() == 2);
  CHECK(two_pairs.nic_Bps == 20e9); // a NIC for two, and no more than inside a node
  CHECK(two_pairs.nodes_per_leaf == 0);
  const auto whole_nodes = machine_of_pair(machine, {8, 8}, 0);
  CHECK(whole_nodes.nic_Bps == 10e9);
  CHECK(whole_nodes.nodes_per_leaf == 0); // the first two nodes are on one leaf
  const auto between_leaves = machine_of_pair(machine, {8, 8}, 1);
  CHECK(between_leaves.nodes_per_leaf == 1);
  CHECK(between_leaves.uplink_Bps == 20e9);                       // eight pairs
  const auto whole_leaves = machine_of_pair(machine, {4, 16}, 3); // the last stage and the first
  CHECK(whole_leaves.uplink_Bps == 10e9);                         // sixteen
  const auto replicas = machine_of_replicas(machine, {4, 16});
  CHECK(replicas.ranks == 16);
  CHECK(replicas.nodes() == 2);
  CHECK(machine_of_replicas(machine, {32, 2}).nodes() == 1);
  const auto of_four = machine_of_replicas(machine, {2, 8, 4}); // two ranks of each node, and four groups on its NIC
  CHECK(of_four.ranks == 8);
  CHECK(of_four.nodes() == 4);
  CHECK(of_four.nic_Bps == 20e9);
  CHECK(of_four.uplink_Bps == 40e9);
  CHECK(machine_of_pair(machine, {2, 8, 4}, 0).nic_Bps == 10e9); // all ranks of a node send
  CHECK(machine_of_tensor_group(machine, {2, 8, 4}).nodes() == 1);
}

TEST_CASE("a free network leaves the bubble, and efficiency is m / (m + p - 1)", "[pipeline]") {
  for (const auto schedule : {PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b})
    for (const int gpus : {4, 8}) {
      const EvenModel even(8);
      const auto time = time_step(even.pipeline(4, 16, gpus, schedule), free_network(even.sample), Fidelity::formula);
      CHECK(time.parts.compute_s == Approx(0.3));
      CHECK(time.parts.bubble_s == Approx(0.3 * 3 / 16).epsilon(1e-9));
      CHECK(time.parts.exposed_communication_s == Approx(0).margin(1e-12));
      CHECK(time.parts.compute_s / time.iteration_s == Approx(16.0 / 19).epsilon(1e-9));
      CHECK(sum_s(time.parts) == Approx(time.iteration_s));
      CHECK(time.bottleneck == "compute");
      CHECK(time.largest_loss == "bubble");
    }
}

TEST_CASE("one stage after another and a sum are the sends and the ring of the formula", "[pipeline]") {
  // One micro-batch of 16 samples on two stages: outputs of 16 MB at 1 GB/s and 1 ms there and back; then each stage
  // sums 4 MB over two replicas, a ring of two: 2 steps of 2 MB and a latency.
  const EvenModel even(8);
  const auto setup = even.pipeline(2, 1, 4);
  for (const auto fidelity : {Fidelity::formula, Fidelity::by_default}) {
    const auto time = time_step(setup, even.sample, fidelity);
    CHECK(time.parts.bubble_s == Approx(0.3));
    CHECK(time.parts.exposed_communication_s == Approx(2 * (0.016 + 0.001) + 2 * (0.002 + 0.001)).epsilon(1e-6));
    CHECK((time.simgrid_messages > 0) == (fidelity != Fidelity::formula));
  }
  CHECK_THROWS_WITH(time_step(setup, even.sample, Fidelity::full), Catch::Contains("not run one by one"));
}

TEST_CASE("replicas that keep a part each gather and scatter halves of the ring", "[pipeline][zero-1]") {
  // Two stages of four layers on two replicas each: a rank gathers 4 MB of parameters before its only forward, and
  // scatters 4 MB of gradients behind its only backward: a step of 2 MB and a latency each. The second stage gathers
  // beside the first one's compute.
  const EvenModel even(8);
  auto setup = even.pipeline(2, 1, 4);
  const auto whole = time_step(setup, even.sample, Fidelity::by_default);
  setup.strategy.parallel.data_parallel = DataParallel::zero_1;
  for (const auto fidelity : {Fidelity::formula, Fidelity::by_default}) {
    const auto time = time_step(setup, even.sample, fidelity);
    CHECK(time.parts.bubble_s == Approx(0.3));
    CHECK(time.parts.exposed.pipeline_s == Approx(2 * (0.016 + 0.001)).epsilon(1e-6));
    CHECK(time.parts.exposed.data_parallel_s == Approx(2 * (0.002 + 0.001)).epsilon(1e-6));
    CHECK(time.parts.exposed.tensor_s == Approx(0).margin(1e-12));
    CHECK(time.parts.exposed.pipeline_s + time.parts.exposed.data_parallel_s ==
          Approx(time.parts.exposed_communication_s));
  }
  CHECK(whole.parts.exposed.data_parallel_s == Approx(2 * (0.002 + 0.001)).epsilon(1e-6)); // a step more and no gather
  setup.batch_per_gpu = 16;
  setup.strategy.parallel = {1, 1, 4, PipelineSchedule::one_f_one_b, 1, DataParallel::zero_1};
  CHECK(time_step(setup, even.sample, Fidelity::formula).parts.bubble_s == 0);
}

TEST_CASE("half precision sends half as much", "[pipeline]") {
  const EvenModel even(8);
  auto setup = even.pipeline(2, 1, 2);
  setup.precision = Precision::amp;
  const auto half = time_step(setup, even.sample, Fidelity::formula);
  CHECK(half.parts.exposed_communication_s == Approx(2 * (0.008 + 0.001)));
}

TEST_CASE("a tensor group pays for its gathers and scatters and nothing else", "[pipeline]") {
  // 16 samples of 1 MB: 16 MB gathered or scattered four times a pass and block, half of them over 1 GB/s inside the
  // node.
  const TwoBlocks two;
  const double inside_s = 2 * 2 * 4 * 0.008;
  const auto alone = time_step(two.on(2, 1, 2), two.sample, Fidelity::by_default);
  CHECK(alone.parts.bubble_s == Approx(30 * 0.5 * 2 * 16e6 / 1e15).margin(1e-12)); // 30 touches of a memory of 1 PB/s
  CHECK(alone.parts.exposed_communication_s == Approx(inside_s).epsilon(1e-6));
  CHECK(alone.parts.compute_s == Approx(0.3));
  // Two replicas: each rank sums half of 4 MB with its like on the other node, over half of its NIC.
  const auto replicas = time_step(two.on(2, 1, 4), two.sample, Fidelity::by_default);
  CHECK(replicas.parts.exposed_communication_s == Approx(inside_s + 2 * (0.002 + 0.001)).epsilon(1e-6));
  // Two stages on a node each: 32 samples, of whose outputs each rank sends half, over half of the NIC.
  const auto stages = time_step(two.on(2, 2, 4), two.sample, Fidelity::by_default);
  CHECK(stages.parts.bubble_s == Approx(0.3));
  CHECK(stages.parts.exposed_communication_s == Approx(2 * inside_s + 2 * (0.032 + 0.001)).epsilon(1e-6));
}

TEST_CASE("a rank of a tensor group moves what all tokens put in and out, beside its part", "[pipeline]") {
  // 16 samples of two blocks of 1 MB of outputs, half of them beyond a rank's part: 30 touches at 100 GB/s, twice as much
  // backward as forward.
  const TwoBlocks two;
  auto setup = two.on(2, 1, 2);
  auto gpu = setup.gpu;
  gpu.memory_bandwidth_Bps = 100e9;
  const StepSetup on_memory = [&] {
    StepSetup other{setup.model, gpu, setup.cluster, setup.preset, setup.transport, setup.strategy};
    other.one_gpu_s = setup.one_gpu_s;
    other.precision = setup.precision;
    other.wire_bytes_per_parameter = setup.wire_bytes_per_parameter;
    other.batch_per_gpu = setup.batch_per_gpu;
    other.gpus = setup.gpus;
    other.gpus_per_node = setup.gpus_per_node;
    other.fabrics = setup.fabrics;
    return other;
  }();
  const auto plain = time_step(setup, two.sample, Fidelity::formula);
  const auto time = time_step(on_memory, two.sample, Fidelity::formula);
  const double more_s = 30 * 0.5 * 2 * 16e6 * (1 / 100e9 - 1 / setup.gpu.memory_bandwidth_Bps);
  CHECK(time.iteration_s - plain.iteration_s == Approx(more_s).epsilon(1e-6));
}

TEST_CASE("layers of a model without attention are cut by their outputs, which are gathered and scattered",
          "[pipeline]") {
  TwoBlocks two; // nodes of two GPUs; 16 samples of 1 MB a layer, of which a rank sends half at 1 GB/s
  for (auto& layer : two.model.layers) {
    layer.kind = "linear";
    layer.tensors.front().shape = {500, 500};
  }
  const auto alone = time_step(two.on(2, 1, 2), two.sample, Fidelity::by_default);
  CHECK(alone.parts.compute_s == Approx(0.3));
  CHECK(alone.parts.exposed_communication_s == Approx(2 * 4 * 0.008).epsilon(1e-6));
}

TEST_CASE("a tensor group that cannot be is reported", "[pipeline][layout]") {
  const EvenModel even(8);
  const TwoBlocks two;
  Strategy strategy;
  strategy.name = StrategyName::model_parallel;
  strategy.parallel.tensor = 3;
  CHECK_THAT(layout_complaint(even.model, strategy, 8, 3, 8), Catch::Contains("no layer with a matrix or filters"));
  strategy.parallel.tensor_overlap = true;
  CHECK_THAT(layout_complaint(even.model, strategy, 8, 3, 8), Catch::Contains("leave \"tensor_overlap\" out"));
  strategy.parallel.tensor_overlap = false;
  CHECK_THAT(layout_complaint(two.model, strategy, 8, 24, 8), Catch::Contains("inside a node only, and one has 8"));
  CHECK_THAT(layout_complaint(two.model, strategy, 8, 4, 4), Catch::Contains("give a multiple of 3"));
  CHECK(layout_complaint(two.model, strategy, 8, 3, 3).empty());
  CHECK(most_gpus_laid_out(strategy.parallel, 24, 8) == 6); // on one node
}

TEST_CASE("what cannot be laid out is reported with what to do", "[pipeline][layout]") {
  const EvenModel even(8);
  const auto message = [&](int stages, int micro_batches, double batch, int gpus) {
    Strategy strategy;
    strategy.name = StrategyName::model_parallel;
    strategy.parallel = {1, stages, micro_batches, PipelineSchedule::one_f_one_b, 1};
    return layout_complaint(even.model, strategy, batch, gpus, 8);
  };
  CHECK(message(4, 8, 2, 8).empty());
  CHECK(message(4, 8, 2, 32).empty());
  CHECK_THAT(message(4, 8, 2, 6), Catch::Contains("give a multiple of 4"));
  CHECK_THAT(message(4, 8, 2, 24), Catch::Contains("6 GPUs") && Catch::Contains("give a multiple of 32 GPUs"));
  CHECK_THAT(message(9, 9, 2, 9), Catch::Contains("has 8 blocks") && Catch::Contains("fewer stages"));
  CHECK_THAT(message(4, 16, 2, 8), Catch::Contains("16 micro-batches") && Catch::Contains("0.5 each"));
  CHECK_THAT(message(4, 20'000, 1e6, 8), Catch::Contains("are more than the 50000 that are simulated"));
  CHECK(layout_complaint(even.model, {}, 1, 7, 8).empty());
  const ModelParallelOptions four{1, 4, 8, PipelineSchedule::one_f_one_b, 1};
  CHECK(most_gpus_laid_out(four, 31, 8) == 16);
  CHECK(most_gpus_laid_out(four, 100, 8) == 96);
  CHECK(most_gpus_laid_out(four, 3, 8) == 0);
  CHECK_THROWS_WITH(time_step(even.pipeline(4, 8, 6), even.sample, Fidelity::formula),
                    Catch::Contains("give a multiple of 4"));
}

TEST_CASE("1F1B keeps the outputs of as many micro-batches as stages are behind, GPipe of all", "[pipeline][memory]") {
  const EvenModel even(8);
  auto asked = even.pipeline(2, 8, 2);
  const auto need = [&](PipelineSchedule schedule, Precision precision) {
    asked.strategy.parallel.schedule = schedule;
    asked.precision = precision;
    return peak_memory(asked);
  };
  // Each layer keeps its input of 1 MB. The first stage has three of four, as the model's input is none's output, and
  // two micro-batches of two samples; the second has four, and one micro-batch.
  const auto alternating = need(PipelineSchedule::one_f_one_b, Precision::fp32);
  CHECK(alternating.weights == Approx(4e6)); // four layers of 1 MB
  CHECK(alternating.optimizer == Approx(4e6));
  CHECK(alternating.activations == Approx(2 * 2 * 3e6));
  CHECK(need(PipelineSchedule::gpipe, Precision::fp32).activations == Approx(8 * 2 * 4e6));
  CHECK(need(PipelineSchedule::gpipe, Precision::amp).activations == Approx(0.5 * 8 * 2 * 4e6));
  // Interleaved, 2(p-1) + (v-1)p + 1 = 5 pieces of two layers are in flight on the first stage: three of the first
  // piece, one of whose layers keeps nothing, and two of the third.
  asked.strategy.parallel.virtual_stages = 2;
  CHECK(need(PipelineSchedule::interleaved, Precision::fp32).activations ==
        Approx(2 * (3 * 1e6 + 2 * 2e6)).epsilon(0.15));
}

TEST_CASE("replicas that keep a part each need less memory", "[pipeline][memory][zero-1]") {
  const EvenModel even(8);
  const auto need = [&](Precision precision, int gpus) {
    auto asked = even.pipeline(2, 8, gpus);
    asked.strategy.parallel.data_parallel = DataParallel::zero_1;
    asked.precision = precision;
    return peak_memory(asked);
  };
  const double parameters = 4 * 250'000; // four layers a stage
  CHECK(need(Precision::fp32, 8).weights == Approx(4 * parameters));
  CHECK(need(Precision::fp32, 8).gradients == Approx(4 * parameters));
  CHECK(need(Precision::fp32, 8).optimizer == Approx(4 * parameters / 4)); // one momentum, four replicas
  CHECK(need(Precision::bf16, 2).optimizer == Approx(8 * parameters));
  CHECK(need(Precision::bf16, 16).optimizer == Approx(8 * parameters / 8));
  CHECK(need(Precision::bf16, 16).weights == Approx(2 * parameters));
  CHECK(need(Precision::bf16, 16).activations == Approx(0.5 * 2 * 2 * 3e6));
}

namespace {

/// Two blocks of attention and four experts alike, of 1 MB a sample and of parameters each.
struct Mixture : EvenModel {
  Mixture() : EvenModel(10) {
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
      const auto block = "block" + std::to_string(l / 5);
      model.layers[l].name = l % 5 == 0 ? block + ".attention" : block + ".expert" + std::to_string(l % 5) + ".output";
      if (l % 5 == 0) model.layers[l].kind = "attention";
    }
  }

  StepSetup on(int expert, int gpus) const {
    auto asked = pipeline(1, 1, gpus);
    asked.strategy.parallel.expert = expert;
    return asked;
  }
};

} // namespace

TEST_CASE("on a free network experts on several ranks take no longer", "[pipeline][expert]") {
  const Mixture mixture;
  const auto time = time_step(mixture.on(4, 8), free_network(mixture.sample), Fidelity::formula);
  CHECK(time.parts.exposed_communication_s == Approx(0).margin(1e-9));
  CHECK(time.iteration_s ==
        Approx(time_step(mixture.on(2, 8), free_network(mixture.sample), Fidelity::formula).iteration_s));
}

TEST_CASE("experts that cannot be dealt out are reported", "[pipeline][expert][layout]") {
  const Mixture mixture;
  const auto message = [&](int expert, int gpus, int gpus_per_node) {
    return layout_complaint(mixture.model, mixture.on(expert, gpus).strategy, 8, gpus, gpus_per_node);
  };
  CHECK(message(4, 8, 2).empty());
  CHECK(message(4, 8, 8).empty());
  CHECK_THAT(message(3, 6, 6), Catch::Contains("4 experts a block are not dealt out evenly over 3 ranks"));
  CHECK_THAT(message(4, 6, 8), Catch::Contains("6 replicas") && Catch::Contains("multiple of 4 GPUs"));
  CHECK_THAT(message(4, 12, 6), Catch::Contains("a node has 6 replicas"));
  const EvenModel even(8);
  CHECK_THAT(layout_complaint(even.model, mixture.on(4, 8).strategy, 8, 8, 8), Catch::Contains("has no experts"));
  CHECK(most_gpus_laid_out(mixture.on(4, 8).strategy.parallel, 15, 8) == 8);
}

TEST_CASE("experts may be dealt out over the ranks of tensor groups", "[pipeline][expert][layout]") {
  const Mixture mixture;
  auto asked = mixture.on(4, 4);
  asked.strategy.parallel.tensor = 2;
  CHECK_THAT(layout_complaint(mixture.model, asked.strategy, 8, 4, 4), Catch::Contains("2 replicas"));
  asked.strategy.parallel.expert_tensor = 1;
  CHECK(layout_complaint(mixture.model, asked.strategy, 8, 4, 4).empty());
  CHECK_THAT(layout_complaint(mixture.model, asked.strategy, 8, 2, 4), Catch::Contains("give a multiple of 4 GPUs"));
  const auto layout = layout_of(asked.strategy.parallel, 16);
  Machine all;
  all.ranks = 16;
  all.ranks_per_node = 8;
  CHECK(machine_of_experts(all, layout, 4).ranks == 4);
  CHECK(machine_of_experts(all, layout, 4).nodes() == 1);
  CHECK(machine_of_expert_replicas(all, layout, 4).ranks == 4);
  CHECK(machine_of_expert_replicas(all, layout, 4).nodes() == 2);
  asked.gpus = 16;
  asked.precision = Precision::bf16;
  asked.strategy.parallel.data_parallel = DataParallel::zero_1;
  const double dense = 2 * 250'000 / 2.0; // of each rank of a tensor group
  const double experts = 8 * 250'000 / 4.0;
  CHECK(peak_memory(asked).weights == Approx(2 * (dense + experts)));
  CHECK(peak_memory(asked).optimizer == Approx(12 * (dense / 8 + experts / 4)));
}

TEST_CASE("a rank holds its part of the experts, and the optimizer of fewer replicas", "[pipeline][expert][memory]") {
  const Mixture mixture;
  auto asked = mixture.on(4, 8);
  asked.precision = Precision::bf16;
  const double dense = 2 * 250'000;
  const double experts = 8 * 250'000;
  CHECK(peak_memory(asked).weights == Approx(2 * (dense + experts / 4)));
  CHECK(peak_memory(asked).optimizer == Approx(12 * (dense + experts / 4)));
  asked.strategy.parallel.data_parallel = DataParallel::zero_1;
  CHECK(peak_memory(asked).weights == Approx(2 * (dense + experts / 4)));
  CHECK(peak_memory(asked).optimizer == Approx(12 * (dense / 8 + experts / 4 / 2)));
}

TEST_CASE("groups of experts are on as few nodes as can be, and their like on the others", "[pipeline][expert]") {
  const auto machine = eight_nodes();
  const auto inside = machine_of_experts(machine, {1, 64}, 4);
  CHECK(inside.nodes() == 1);
  const auto across = machine_of_experts(machine, {1, 64}, 16);
  CHECK(across.nodes() == 2);
  CHECK(across.nic_Bps == 80e9);
  const auto beside = machine_of_experts(machine, {1, 32, 2}, 16); // two groups on each of four nodes
  CHECK(beside.nodes() == 4);
  CHECK(beside.nic_Bps == 40e9);
  const auto replicas = machine_of_expert_replicas(machine, {1, 64}, 8); // one a node, eight groups beside each other
  CHECK(replicas.ranks == 8);
  CHECK(replicas.nodes() == 8);
  CHECK(replicas.nic_Bps == 10e9);
}

} // namespace ddlsim
