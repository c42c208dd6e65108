// Sharded state on the host: copies there and back, and the processors' update.

#include "sim/iteration/execution.hpp"
#include "sim/iteration/host_offload.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "sim/iteration/sharded_graph.hpp"
#include "tests/iteration/fixed_times.hpp"
#include "tests/predict/even_model.hpp"

#include <catch2/catch.hpp>

#include <utility>
#include <vector>

namespace ddlsim {
namespace {

using HostSpans = std::vector<std::pair<double, double>>;

/// Three blocks of 100 parameters, a byte each way, F 1 s and B 2 s each, on so many ranks. A gather or a scatter takes
/// a second; a copy of a block's part half a second on two ranks, its sum a quarter, its update a second.
Graph fsdp_with(Offload offload, int ranks, int micro_batches = 1) {
  constexpr double third = 1.0 / 3;
  const UnitShape shape{{{"root", 0}, {"block0", 100}, {"block1", 100}, {"block2", 100}},
                        {{1, third, third, 0}, {2, third, third, 0}, {3, third, third, 0}}};
  Machine machine;
  machine.ranks = ranks;
  ShardedOptions options;
  options.micro_batches = micro_batches;
  options.offload = offload;
  return fsdp_graph(shape, {3, 6}, options, {1, 1}, machine, ranks, {0.01, 0.005, 0.02});
}

Execution run_with_host(const Graph& graph) {
  FixedTimes executor;
  executor.all_reduce_s = [](double size_bytes) { return size_bytes / 100; };
  return execute(graph, executor);
}

HostSpans host_spans(const Graph& graph, const Execution& execution, OperationKind kind) {
  HostSpans spans;
  for (std::size_t i = 0; i < graph.operations.size(); ++i)
    if (graph.operations[i].kind == kind) spans.emplace_back(execution.spans[i].start_s, execution.spans[i].end_s);
  return spans;
}

void check_spans(const HostSpans& spans, const HostSpans& expected) {
  REQUIRE(spans.size() == expected.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    INFO(i << ": " << spans[i].first << " .. " << spans[i].second);
    CHECK(spans[i].first == Approx(expected[i].first).margin(1e-12));
    CHECK(spans[i].second == Approx(expected[i].second).margin(1e-12));
  }
}

/// Eight layers of 250,000 parameters on nodes of two GPUs, which share one link of 2 GB/s and 8 GB/s of host memory.
struct WithHost : EvenModel {
  WithHost() : EvenModel(8) {
    cluster.gpus_per_node = 2;
    cluster.host_memory_bandwidth_Bps = 8e9;
    cluster.host_link = {2e9, 2};
  }

  StepSetup on(StrategyName name, int gpus, Offload offload) const {
    auto asked = setup(name, gpus);
    asked.gpus_per_node = std::min(gpus, 2);
    asked.synchronised = gpus > 1;
    asked.strategy.sharded.offload = offload;
    return asked;
  }
};

} // namespace

TEST_CASE("gradients leave behind their scatter, the optimizer runs behind the last, and parameters come together",
          "[sharded][offload]") {
  // Without offload blocks are scattered at 6-7, 8-9 and 10-11.
  const auto graph = fsdp_with(Offload::optimizer, 2);
  const auto execution = run_with_host(graph);
  check_spans(host_spans(graph, execution, OperationKind::reduce_scatter), {{6, 7}, {8, 9}, {10, 11}});
  check_spans(host_spans(graph, execution, OperationKind::to_host), {{7, 7.5}, {9, 9.5}, {11, 11.5}});
  check_spans(host_spans(graph, execution, OperationKind::host_update), {{11.5, 14.5}});
  check_spans(host_spans(graph, execution, OperationKind::from_host), {{14.5, 16}});
  CHECK(host_spans(graph, execution, OperationKind::host_sum).empty());
  CHECK(execution.end_s == Approx(16));
  CHECK(run_with_host(without_host(graph)).end_s == Approx(11));
}

TEST_CASE("parameters of the host come unit by unit, before each gather", "[sharded][offload]") {
  // Two in flight: the third copy waits for the first block, free at 2.5. Gathers for backward come in time.
  const auto graph = fsdp_with(Offload::optimizer_and_parameters, 2);
  const auto execution = run_with_host(graph);
  const auto copies = host_spans(graph, execution, OperationKind::from_host);
  const auto gathers = host_spans(graph, execution, OperationKind::all_gather);
  REQUIRE(copies.size() == 6);
  REQUIRE(gathers.size() == 6);
  check_spans({copies[0], copies[1], copies[2]}, {{0, 0.5}, {0.5, 1}, {2.5, 3}});
  check_spans({gathers[0], gathers[1], gathers[2]}, {{0.5, 1.5}, {1.5, 2.5}, {3, 4}});
  for (std::size_t i = 0; i < copies.size(); ++i) CHECK(gathers[i].first >= copies[i].second);
  const auto updates = host_spans(graph, execution, OperationKind::host_update);
  CHECK(execution.end_s == updates.front().second); // nothing comes back before the next iteration
}

TEST_CASE("micro-batches are added on the host", "[sharded][offload]") {
  const auto graph = fsdp_with(Offload::optimizer, 2, 3);
  const auto execution = run_with_host(graph);
  CHECK(host_spans(graph, execution, OperationKind::to_host).size() == 9);
  const auto sums = host_spans(graph, execution, OperationKind::host_sum);
  REQUIRE(sums.size() == 6); // of the second and the third
  CHECK(sums[0].second - sums[0].first == Approx(0.25));
}

TEST_CASE("one GPU with its state on the host sends nothing to others", "[sharded][offload]") {
  for (const auto offload : {Offload::optimizer, Offload::optimizer_and_parameters}) {
    const auto graph = fsdp_with(offload, 1);
    for (const auto& operation : graph.operations) CHECK_FALSE(is_collective(graph, operation));
    CHECK(host_spans(graph, run_with_host(graph), OperationKind::to_host).size() == 3);
  }
  // F 3 s, B 6 s; the last block's gradients are there at 9 and copied in 1 s, all updated in 6 s, copied back in 3 s.
  CHECK(run_with_host(fsdp_with(Offload::optimizer, 1)).end_s == Approx(9 + 1 + 6 + 3));
}

TEST_CASE("GPUs of a node divide a link that they share, and the host's memory", "[offload]") {
  Cluster cluster;
  cluster.host_memory_bandwidth_Bps = 112e9;
  cluster.host_link = {16e9, 2};
  const auto alone = host_seconds(cluster, 1);
  CHECK(alone.copy == Approx(4 / 16e9));
  CHECK(alone.update == Approx(28 / 112e9));
  const auto of_two = host_seconds(cluster, 2);
  CHECK(of_two.copy == Approx(4 / 8e9));
  CHECK(of_two.sum == Approx(12 / 56e9));
  CHECK(of_two.update == Approx(28 / 56e9));
  CHECK(host_seconds(cluster, 16).copy == Approx(4 / 7e9)); // two a link would have 8 GB/s each, and memory 7
}

TEST_CASE("what offload adds has a closed form, and no NIC takes a part in it on one GPU", "[sharded][offload]") {
  // 2 million parameters: copied at 2 GB/s, updated with 28 bytes each at 8 GB/s, copied back. With one group per
  // tensor only the last gradient's copy, of an eighth, comes behind backward.
  const WithHost model;
  const double copy_s = 2e6 * 4 / 2e9;
  const double update_s = 2e6 * 28 / 8e9;
  for (const auto name : {StrategyName::zero_1, StrategyName::zero_2, StrategyName::fsdp}) {
    const auto setup = model.on(name, 1, Offload::optimizer);
    const auto time = time_step(setup, model.sample, Fidelity::formula);
    const double shown_s = time.parts.exposed_communication_s - update_s - copy_s;
    CHECK(shown_s >= copy_s / 8 * (1 - 1e-9));
    CHECK(shown_s <= copy_s * (1 + 1e-9));
    CHECK(time.parts.exposed.offload_s == Approx(time.parts.exposed_communication_s));
    CHECK(time.communication == "offload");
    CHECK(time_step(setup, model.sample, Fidelity::by_default).iteration_s == Approx(time.iteration_s));
    CHECK(time.iteration_s == Approx(sum_s(time.parts)));
    CHECK(run_step(setup, model.sample, Fidelity::formula).execution.end_s ==
          Approx(time.parts.compute_s + time.parts.exposed_communication_s));
  }
}

TEST_CASE("offload adds to sharding, less on faster hosts, and nothing on free ones", "[sharded][offload][property]") {
  for (const auto name : {StrategyName::zero_1, StrategyName::zero_2, StrategyName::fsdp}) {
    WithHost model;
    const auto plain = time_step(model.on(name, 4, Offload::none), model.sample, Fidelity::formula);
    CHECK(plain.parts.exposed.offload_s == 0);
    double before_s = 1e9;
    for (const double faster : {1.0, 2.0, 8.0, 1e9}) {
      WithHost host;
      host.cluster.host_memory_bandwidth_Bps *= faster;
      host.cluster.host_link.bandwidth_Bps *= faster;
      const auto time = time_step(host.on(name, 4, Offload::optimizer), host.sample, Fidelity::formula);
      CHECK(time.parts.exposed.offload_s == Approx(time.iteration_s - plain.iteration_s).margin(1e-12));
      CHECK(time.iteration_s < before_s);
      before_s = time.iteration_s;
    }
    CHECK(before_s == Approx(plain.iteration_s).epsilon(1e-6));
  }
}

TEST_CASE("a GPU keeps what is not on its host, and the host 16 bytes a parameter", "[offload][memory]") {
  const WithHost model;
  const double parameters = model.model.parameters;
  const auto need = [&](StrategyName name, Offload offload, Precision precision) {
    auto asked = model.on(name, 4, offload);
    asked.precision = precision;
    asked.gpus_per_node = 2;
    asked.batch_per_gpu = 0;
    CHECK(least_host_memory(model.model, asked.strategy, 4, 2) == (offload == Offload::none ? 0 : 16 * parameters / 2));
    return peak_memory(asked);
  };
  const auto one = need(StrategyName::zero_1, Offload::optimizer, Precision::bf16);
  const auto state = [](const MemoryParts& parts) { return parts.weights + parts.gradients + parts.optimizer; };
  CHECK(state(one) == (2 + 2) * parameters);
  CHECK(state(need(StrategyName::zero_2, Offload::optimizer, Precision::bf16)) == 2 * parameters);
  CHECK(state(need(StrategyName::zero_2, Offload::optimizer, Precision::fp32)) == 4 * parameters);
  const auto part = need(StrategyName::fsdp, Offload::optimizer, Precision::bf16);
  CHECK(state(part) == 2 * parameters / 4);
  const auto none = need(StrategyName::fsdp, Offload::optimizer_and_parameters, Precision::bf16);
  CHECK(state(none) == 0);
  CHECK(none.gathered > 0);
  need(StrategyName::fsdp, Offload::none, Precision::bf16);
}

TEST_CASE("what the cluster's file does not state is named, and a host that is too small", "[offload]") {
  WithHost model;
  const auto strategy = model.on(StrategyName::zero_2, 2, Offload::optimizer).strategy;
  const auto complaint = [&] { return offload_complaint(model.model, model.cluster, strategy, 2, 2); };
  CHECK(complaint().empty());
  model.cluster.host_memory_bytes = 16 * model.model.parameters;
  CHECK(complaint().empty());
  model.cluster.host_memory_bytes -= 1;
  CHECK_THAT(complaint(), Catch::Contains("host memory"));
  model.cluster.host_link = {};
  CHECK_THAT(complaint(), Catch::Contains("/node/host_link") && !Catch::Contains("host_memory_bandwidth"));
  model.cluster.host_memory_bandwidth_Bps = 0;
  CHECK_THAT(complaint(), Catch::Contains("/node/host_memory_bandwidth and /node/host_link"));
  CHECK_THROWS_WITH(time_step(model.on(StrategyName::zero_2, 2, Offload::optimizer), model.sample, Fidelity::formula),
                    Catch::Contains("/node/host_link"));
  CHECK(offload_complaint(model.model, model.cluster, {}, 2, 2).empty());
}

} // namespace ddlsim
