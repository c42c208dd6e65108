// What must hold whatever the model, the machine and the strategy, over random ones. Software costs nothing here and
// groups are fixed, so that a change acts through links and overlap alone.

#include "sim/collective/halving_doubling.hpp"
#include "sim/collective/hierarchical_ring.hpp"
#include "sim/collective/tree.hpp"
#include "sim/iteration/all_reduce_graph.hpp"
#include "sim/iteration/execution.hpp"
#include "tests/collective/schedule_sums.hpp"
#include "tests/golden/message_trace.hpp"
#include "tests/predict/random_scenario.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <numeric>

namespace ddlsim {
namespace {

constexpr std::uint64_t samples = 200;
constexpr std::uint64_t full_samples = 30;
constexpr int full_gpus = most_ranks < 16 ? 4 : 12; // sanitizer builds switch actors by threads
constexpr double sum_rounding = 1e-9;

/// A change that cannot slow an iteration down.
struct Change {
  const char* what;
  std::function<void(RandomScenario&)> make;
  bool also_among_servers = false;
};

const Change never_slower[] = {
    {"NICs twice as fast", [](RandomScenario& random) { random.cluster.nics[0].bandwidth_Bps *= 2; }, true},
    {"paths inside nodes twice as fast", [](RandomScenario& random) { random.cluster.intra.bandwidth_Bps *= 2; }},
    {"a third of the latency between nodes", [](RandomScenario& random) { random.sample.net_latency_s /= 3; }},
    {"a third of the latency inside nodes", [](RandomScenario& random) { random.cluster.intra.latency_s /= 3; }},
    {"overlap", [](RandomScenario& random) { random.preset.overlapped = true; }},
};

/// Flows that share a link can pass each other: who is early takes a share from whom all wait for. Then an earlier
/// gradient, a quicker path or no latency can make the whole slower, as in Graham's scheduling anomalies (SIAM J. Appl.
/// Math. 17, 1969); the smallest case is the last test of this file. In closed form that is several parameter servers:
/// of 30,000 random samples, 8,000 of them such, overlap was slower in 280 (median 1.4 %, worst 25 %), a quicker path
/// inside nodes in 97 (worst 3.3 %), less latency in 8 (worst 0.3 %), a quicker NIC in none. Where every message is
/// simulated also trees and halving-doubling (600 samples: worst 4 %). Elsewhere each held in every one.
bool can_fail(const Change& change, const RandomScenario& random, Fidelity fidelity) {
  const StrategyName name = random.strategy.name;
  if (name == StrategyName::ps) return random.strategy.servers.value > 1 && !change.also_among_servers;
  return fidelity == Fidelity::full && (name == StrategyName::tree || name == StrategyName::halving_doubling);
}

void check_scenario(std::uint64_t seed, int most_gpus, Fidelity fidelity) {
  const RandomScenario before(seed, most_gpus);
  const double before_s = before.iteration_s(fidelity);
  INFO("seed " << seed << ", " << to_text(before.strategy) << ", " << before.gpus << " GPUs");
  CHECK(before_s >= before.one_gpu_s * (1 - sum_rounding));
  for (const Change& change : never_slower) {
    if (can_fail(change, before, fidelity)) continue;
    RandomScenario after(seed, most_gpus);
    change.make(after);
    INFO(change.what);
    CHECK(after.iteration_s(fidelity) <= before_s * (1 + sum_rounding));
  }
}

double sum_of_sends(const Schedule& schedule) {
  double bytes = 0;
  for (const Program& program : schedule.programs)
    for (const Step& step : program.steps)
      for (const Send& send : step.sends) bytes += send.size_bytes;
  return bytes;
}

} // namespace

TEST_CASE("better links and overlap never make an iteration slower, and none is shorter than its compute",
          "[step][property]") {
  for (std::uint64_t seed = 1; seed <= samples; ++seed) check_scenario(seed, 16, Fidelity::formula);
}

TEST_CASE("the same where every message is simulated", "[step][property]") {
  for (std::uint64_t seed = 1; seed <= full_samples; ++seed) check_scenario(seed, full_gpus, Fidelity::full);
}

TEST_CASE(
    "the parts of a point add up to its iteration, and one GPU has efficiency 1, whatever the residual and the input",
    "[curve][property]") {
  for (std::uint64_t seed = 1; seed <= samples; ++seed) {
    RandomScenario random(seed);
    auto& sample = random.sample;
    sample.sync_on_s = uniform(random.random, 0, 0.01);
    sample.sync_share = uniform(random.random, 0, 0.1);
    sample.second_node_jump = uniform(random.random, 0, 0.1);
    sample.step_spread = uniform(random.random, 0, 0.1);
    auto setup = random.setup();
    setup.slow_node.compute_factor = uniform(random.random, 1, 1.5);
    setup.input = {100e3, log_uniform(random.random, 10, 1e6), 0};
    const int per_node = random.cluster.gpus_per_node;
    Curve curve{setup, sample, {}, per_node, 64, EvidenceLabel::calibrated};
    curve.samples.values.assign(2, sample);
    curve.samples.z_scores.assign(2, std::vector<double>(parameter_fields().size()));
    curve.calibration.own = {
        {{random.gpus, (random.gpus + per_node - 1) / per_node}, uniform(random.random, -0.3, 0.3), 0.01}};
    INFO("seed " << seed << ", " << to_text(random.strategy) << ", " << random.gpus << " GPUs");
    CHECK(predict_point(curve, 1, Fidelity::formula).point.efficiency == 1);
    const auto point = predict_point(curve, random.gpus, Fidelity::formula).point;
    REQUIRE(point.error.empty());
    CHECK(sum_s(point.parts) == Approx(point.iteration_s).epsilon(sum_rounding));
    CHECK(point.parts.unexplained_s != 0);
  }
}

TEST_CASE("groups and shards hold every byte of every tensor once", "[property]") {
  for (std::uint64_t seed = 1; seed <= samples; ++seed) {
    const RandomScenario random(seed);
    const auto setup = random.setup();
    INFO("seed " << seed);
    const auto profile =
        compute_profile(random.model, random.gpu, Precision::fp32, setup.batch_per_gpu, random.one_gpu_s, 0.3, 4);
    double grouped_bytes = 0;
    int grouped = 0;
    const auto graph = all_reduce_graph(profile, random.preset, random.machine());
    for (const auto& group : execute(graph, executor_of(Engine::formula)).collectives) {
      grouped_bytes += group.size_bytes;
      grouped += group.tensors;
    }
    CHECK(grouped_bytes == Approx(random.model.size_bytes()).epsilon(sum_rounding));
    CHECK(grouped == static_cast<int>(profile.tensors.size()));

    std::vector<double> left_bytes(profile.tensors.size());
    for (const auto& tensor : profile.tensors) left_bytes[static_cast<std::size_t>(tensor.tensor)] = tensor.size_bytes;
    const auto tensor_bytes = left_bytes;
    for (const auto& shard : place_tensors(tensor_bytes, random.strategy.servers.value, random.strategy.sharding, 4e6))
      left_bytes[static_cast<std::size_t>(shard.tensor)] -= shard.size_bytes;
    for (std::size_t t = 0; t < left_bytes.size(); ++t)
      CHECK(left_bytes[t] == Approx(0).margin(sum_rounding * tensor_bytes[t]));
  }
}

TEST_CASE("an all-reduce of n ranks sends 2 (n-1) S bytes, and all of them arrive", "[property]") {
  // Every rank's vector but one is sent to be added, and the sum is sent to every rank but one, in whatever pieces.
  for (std::uint64_t seed = 1; seed <= samples; ++seed) {
    const RandomScenario random(seed);
    const Machine machine = random.machine();
    const double size_bytes = random.model.size_bytes();
    INFO("seed " << seed << ", " << machine.ranks << " ranks, " << machine.ranks_per_node << " a node");
    for (const auto& schedule : {hierarchical_ring_schedule(machine, size_bytes), tree_schedule(machine, size_bytes),
                                 halving_doubling_schedule(machine, size_bytes)}) {
      CHECK(every_message_arrives(schedule));
      CHECK(sum_of_sends(schedule) == Approx(2 * (machine.ranks - 1) * size_bytes).epsilon(sum_rounding));
    }
  }
}

TEST_CASE("the full ring sends 2 (n-1) chunks a rank, the full exchange every copy of every shard once each way",
          "[property]") {
  for (std::uint64_t seed = 1; seed <= full_samples; ++seed) {
    const RandomScenario random(seed, full_gpus);
    const Machine machine = random.machine();
    INFO("seed " << seed << ", " << machine.ranks << " ranks");
    CHECK(static_cast<int>(ring_messages(machine, 1e6).size()) == 2 * (machine.ranks - 1) * machine.ranks);
    ServerExchange exchange;
    for (int shard = 0; shard < 5; ++shard) exchange.shards.push_back({shard, shard % 2, 1e5 * (shard + 1)});
    exchange.ready_s.assign(exchange.shards.size(), 0);
    exchange.messages_per_node = machine.ranks_per_node;
    ServerMachine servers;
    servers.servers = 2;
    servers.dedicated = seed % 2 == 0;
    std::map<std::pair<int, int>, int> sent;
    for (const auto& message : server_messages(machine, servers, exchange)) ++sent[{message.from, message.to}];
    for (int node = 0; node < machine.nodes(); ++node) {
      for (int server = 0; server < servers.servers; ++server) {
        const int shards = server == 0 ? 3 : 2;
        CHECK(sent[{node, machine.nodes() + server}] == shards * machine.ranks_per_node);
        CHECK(sent[{machine.nodes() + server, node}] == shards * machine.ranks_per_node);
      }
    }
  }
}

// Two nodes, a server on each, NICs of 1 MB/ms. Tensor a, 2 MB, is on node 1, b, 2 MB, on node 0; b is ready at 2 ms.
//   a ready at 2 ms too (no overlap):  2..4 ms   push a: node 0 -> 1    push b: node 1 -> 0
//                                      4..6 ms   pull a: node 1 -> 0    pull b: node 0 -> 1      all at 6 ms
//   a ready at 0 (overlap):            0..2 ms   push a: node 0 -> 1
//                                      2..6 ms   pull a: node 1 -> 0, at half rate beside push b: node 1 -> 0
//                                      6..8 ms   pull b: node 0 -> 1                             all at 8 ms
// The early pull takes half of the NIC that the last gradient needs. No priority among flows would be a better rule,
// but this is what connections sharing a NIC do.
TEST_CASE("where overlap is slower: an early pull beside the last push", "[property]") {
  Machine machine;
  machine.ranks = 2;
  machine.nic_Bps = 1e9;
  machine.intra_Bps = 1e15;
  ServerMachine servers;
  servers.servers = 2;
  servers.dedicated = false;
  ServerExchange exchange;
  exchange.shards = {{0, 1, 2e6}, {1, 0, 2e6}};
  for (const Engine engine : {Engine::formula, Engine::full}) {
    exchange.ready_s = {2e-3, 2e-3};
    CHECK(executor_of(engine).server_exchange(machine, servers, exchange).end_s == Approx(6e-3).epsilon(1e-6));
    exchange.ready_s = {0, 2e-3};
    CHECK(executor_of(engine).server_exchange(machine, servers, exchange).end_s == Approx(8e-3).epsilon(1e-6));
  }
}

} // namespace ddlsim
