// Units of 100 parameters, a byte each way, 100 bytes a second: a gather or a scatter of a block takes a second.

#include "sim/iteration/execution.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/sharded_graph.hpp"
#include "tests/iteration/fixed_times.hpp"
#include "tests/predict/random_scenario.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

namespace ddlsim {
namespace {

constexpr WholePasses three_and_six{3, 6};

/// Three blocks of equal compute; a root without layers and parameters.
UnitShape three_blocks() {
  constexpr double third = 1.0 / 3;
  return {{{"root", 0}, {"block0", 100}, {"block1", 100}, {"block2", 100}},
          {{1, third, third, 0}, {2, third, third, 0}, {3, third, third, 0}}};
}

/// What ran, by its text and in its order: "gather 1" of the second unit.
struct Ran {
  std::string text;
  Span span;
};

std::string text_of(const Operation& operation) {
  const std::string unit = " " + std::to_string(operation.unit);
  if (operation.kind == OperationKind::all_gather) return "gather" + unit;
  if (operation.kind == OperationKind::reduce_scatter) return "scatter" + unit;
  return (operation.part == ComputePart::forward ? "forward" : "backward") + unit;
}

std::vector<Ran> run(const UnitShape& shape, const ShardedOptions& options, StreamKind stream,
                     const WholePasses& passes = three_and_six) {
  Machine two_ranks;
  two_ranks.ranks = 2;
  const Graph graph = fsdp_graph(shape, passes, options, {1, 1}, two_ranks, two_ranks.ranks);
  FixedTimes executor;
  executor.all_reduce_s = [](double size_bytes) { return size_bytes / 100; };
  const auto execution = execute(graph, executor);
  std::vector<Ran> ran;
  for (std::size_t i = 0; i < graph.operations.size(); ++i)
    if (graph.streams[graph.operations[i].stream].kind == stream)
      ran.push_back({text_of(graph.operations[i]), execution.spans[i]});
  return ran;
}

void check(const std::vector<Ran>& ran, const std::vector<Ran>& expected) {
  REQUIRE(ran.size() == expected.size());
  for (std::size_t i = 0; i < ran.size(); ++i) {
    INFO(i << ": " << ran[i].text << " " << ran[i].span.start_s << " .. " << ran[i].span.end_s);
    CHECK(ran[i].text == expected[i].text);
    CHECK(ran[i].span.start_s == Approx(expected[i].span.start_s).margin(1e-12));
    CHECK(ran[i].span.end_s == Approx(expected[i].span.end_s).margin(1e-12));
  }
}

} // namespace

TEST_CASE("copies of what fsdp gathers and scatters stand in compute, once for each collective", "[sharded]") {
  const auto compute_s = [](const ShardedOptions& options) {
    Machine two_ranks;
    two_ranks.ranks = 2;
    const ShardBytes bytes{2, 4, 0.0001}; // 0.02 s to gather 100 parameters, 0.04 to scatter them
    auto shape = three_blocks();
    shape.units[0].parameters = 50; // the root's, before and behind the blocks
    shape.stages.insert(shape.stages.begin(), {0, 0, 0, 0});
    shape.stages.push_back({0, 0, 0, 0});
    std::vector<double> durations_s;
    for (const auto& operation : fsdp_graph(shape, three_and_six, options, bytes, two_ranks, 2).operations)
      if (operation.kind == OperationKind::compute) durations_s.push_back(operation.duration_s);
    return durations_s;
  };
  const auto check_all = [](const std::vector<double>& found, const std::vector<double>& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(expected[i]).margin(1e-12));
  };
  check_all(compute_s({}), {0.01, 1.02, 1.02, 1.02, 0, 0, 2.06, 2.06, 2.06, 0.02});
  ShardedOptions kept;
  kept.reshard_after_forward = false;
  check_all(compute_s(kept), {0.01, 1.02, 1.02, 1.02, 0, 0, 2.04, 2.04, 2.04, 0.02});
  ShardedOptions twice;
  twice.micro_batches = 2;
  check_all(compute_s(twice), {0.01, 0.52, 0.52, 0.52, 0, 0, 1.06, 1.06, 1.06, 0.02, //
                               0.01, 0.52, 0.52, 0.52, 0, 0, 1.06, 1.06, 1.06, 0.02});
}

TEST_CASE("fsdp gathers a unit ahead, gathers it again for backward, and scatters behind it", "[sharded]") {
  //  compute          F1 1-2  F2 2-3  F3 3-4  B3 4-6          B2 6-8          B1 8-10
  //  collectives  G1  G2 1-2  G3 2-3  G3 3-4  G2 4-5  S3 6-7  G1 7-8  S2 8-9  S1 10-11
  // The third gather waits until the first unit is free, at 2. block2's for backward waits for block1, which is free at
  // 3: it has other memory than the parameters that its forward still reads.
  const auto compute = run(three_blocks(), {}, StreamKind::compute);
  check(compute, {{"forward 1", {1, 2}},
                  {"forward 2", {2, 3}},
                  {"forward 3", {3, 4}},
                  {"backward 3", {4, 6}},
                  {"backward 2", {6, 8}},
                  {"backward 1", {8, 10}}});
  const auto collectives = run(three_blocks(), {}, StreamKind::collectives);
  check(collectives, {{"gather 1", {0, 1}},
                      {"gather 2", {1, 2}},
                      {"gather 3", {2, 3}},
                      {"gather 3", {3, 4}},
                      {"gather 2", {4, 5}},
                      {"scatter 3", {6, 7}},
                      {"gather 1", {7, 8}},
                      {"scatter 2", {8, 9}},
                      {"scatter 1", {10, 11}}});
}

TEST_CASE("with one gather in flight nothing overlaps with compute but scatters", "[sharded]") {
  ShardedOptions one;
  one.gathers_in_flight = 1;
  const auto compute = run(three_blocks(), one, StreamKind::compute);
  // G1 0-1, F1 1-2, G2 2-3, F2 3-4, G3 4-5, F3 5-6; G3 6-7, B3 7-9; S3 9-10, G2 10-11, B2 11-13; ...
  check(compute, {{"forward 1", {1, 2}},
                  {"forward 2", {3, 4}},
                  {"forward 3", {5, 6}},
                  {"backward 3", {7, 9}},
                  {"backward 2", {11, 13}},
                  {"backward 1", {15, 17}}});
}

TEST_CASE("without prefetch a unit is gathered behind the scatter before it", "[sharded]") {
  ShardedOptions late;
  late.backward_prefetch = false;
  const auto collectives = run(three_blocks(), late, StreamKind::collectives);
  check({collectives.begin() + 3, collectives.end()}, {{"gather 3", {3, 4}},
                                                       {"scatter 3", {6, 7}},
                                                       {"gather 2", {7, 8}},
                                                       {"scatter 2", {10, 11}},
                                                       {"gather 1", {11, 12}},
                                                       {"scatter 1", {14, 15}}});
}

TEST_CASE("units that are kept after forward are gathered once, without limit", "[sharded]") {
  ShardedOptions kept;
  kept.reshard_after_forward = false;
  check(run(three_blocks(), kept, StreamKind::collectives), {{"gather 1", {0, 1}},
                                                             {"gather 2", {1, 2}},
                                                             {"gather 3", {2, 3}},
                                                             {"scatter 3", {6, 7}},
                                                             {"scatter 2", {8, 9}},
                                                             {"scatter 1", {10, 11}}});
}

TEST_CASE("the root is gathered first, kept, and scattered last", "[sharded]") {
  UnitShape shape{{{"root", 200}, {"block0", 100}}, {{0, 0, 0, 0}, {1, 1, 1, 0}, {0, 0, 0, 0}}};
  const auto collectives = run(shape, {}, StreamKind::collectives, {1, 2});
  // Two may be in flight, and there is one block: its gather for backward runs beside its forward, 3 .. 4.
  check(
      collectives,
      {{"gather 0", {0, 2}}, {"gather 1", {2, 3}}, {"gather 1", {3, 4}}, {"scatter 1", {6, 7}}, {"scatter 0", {7, 9}}});
}

TEST_CASE("every micro-batch gathers and scatters all, with its part of compute", "[sharded]") {
  ShardedOptions two;
  two.micro_batches = 2;
  const auto compute = run(three_blocks(), two, StreamKind::compute);
  REQUIRE(compute.size() == 12);
  for (const auto& one : compute) {
    const double expected_s = one.text.starts_with("forward") ? 0.5 : 1;
    CHECK(one.span.end_s - one.span.start_s == Approx(expected_s));
  }
  CHECK(run(three_blocks(), two, StreamKind::collectives).size() == 18);
}

TEST_CASE("what is computed again stands in its unit's backward", "[sharded]") {
  auto shape = three_blocks();
  for (auto& stage : shape.stages) stage.again = stage.forward;
  const auto compute = run(shape, {}, StreamKind::compute);
  CHECK(compute[3].span.end_s - compute[3].span.start_s == Approx(3)); // 2 and the forward's 1
}

TEST_CASE("zero-1 scatters gradients once, zero-2 those of every micro-batch, and both gather once", "[sharded]") {
  ComputeProfile profile;
  profile.forward_s = 2;
  profile.backward_s = 4;
  profile.tensors = {{1, 200, 4}, {0, 100, 6}};
  Preset preset;
  preset.grouping = Grouping::per_tensor;
  preset.overlapped = true;
  Machine two_ranks;
  two_ranks.ranks = 2;
  ShardedOptions options;
  options.micro_batches = 2;
  for (const auto name : {StrategyName::zero_1, StrategyName::zero_2}) {
    const Graph graph = zero_graph(name, profile, options, {2, 1}, preset, two_ranks);
    FixedTimes executor;
    executor.all_reduce_s = [](double size_bytes) { return size_bytes / 100; };
    const auto execution = execute(graph, executor);
    std::map<OperationKind, double> bytes;
    for (const auto& operation : graph.operations) bytes[operation.kind] += operation.size_bytes;
    CHECK(bytes[OperationKind::reduce_scatter] == (name == StrategyName::zero_1 ? 300 : 600));
    CHECK(bytes[OperationKind::all_gather] == 600);
    // The second micro-batch ends at 6: its gradients at 5 and 6. Scattered 5-7 and 7-8 (zero-2: the first's 2-4 and
    // 4-5, which were done before), gathered 8-12 and 12-14.
    CHECK(execution.end_s == Approx(14));
  }
}

TEST_CASE("a sharded iteration on one machine: by classes is full, and more bandwidth is never slower",
          "[sharded][property]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomScenario random(seed);
    for (auto& layer : random.model.layers)
      if (layer.name.starts_with("layer")) layer.name = "block" + layer.name.substr(5) + ".x";
    auto setup = random.setup();
    const StrategyName names[] = {StrategyName::fsdp, StrategyName::zero_1, StrategyName::zero_2};
    setup.strategy.name = names[seed % 3];
    setup.strategy.sharded.micro_batches = 1 + static_cast<int>(seed % 4);
    setup.strategy.sharded.gathers_in_flight = 1 + static_cast<int>(seed % 3);
    setup.strategy.sharded.reshard_after_forward = seed % 5 != 0;
    setup.strategy.sharded.backward_prefetch = seed % 7 != 0;
    setup.strategy.sharded.recompute = seed % 2 == 0 ? Recompute::full : Recompute::none;
    INFO("seed " << seed << ", " << to_text(setup.strategy));
    const auto by_formula = time_step(setup, random.sample, Fidelity::formula);
    CHECK(by_formula.parts.exposed_communication_s >= -1e-9 * by_formula.parts.compute_s);
    const auto shown = time_step(setup, random.sample, Fidelity::by_default);
    CHECK(shown.simgrid_messages > 0);
    CHECK(shown.iteration_s == Approx(by_formula.iteration_s).epsilon(1e-6)); // a ring's closed form is exact
    auto faster = random.cluster;
    faster.nics.front().bandwidth_Bps *= 2;
    faster.intra.bandwidth_Bps *= 2;
    StepSetup on_faster{setup.model, setup.gpu, faster, setup.preset, setup.transport, setup.strategy};
    on_faster.batch_per_gpu = setup.batch_per_gpu;
    on_faster.one_gpu_s = setup.one_gpu_s;
    on_faster.gpus = setup.gpus;
    on_faster.gpus_per_node = setup.gpus_per_node;
    CHECK(time_step(on_faster, random.sample, Fidelity::formula).iteration_s <= by_formula.iteration_s * (1 + 1e-9));
  }
}

} // namespace ddlsim
