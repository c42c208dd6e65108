#include "sim/iteration/neighbours_cost.hpp"
#include "sim/iteration/step.hpp"
#include "sim/simgrid/neighbours_run.hpp"
#include "tests/collective/machines.hpp"
#include "tests/predict/small_cluster.hpp"
#include "tests/simgrid/formula_range.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <random>

namespace ddlsim {
namespace {

const NodePlacement packed{};
const NodePlacement scattered{NodeOrder::scattered, {}};

/// Leaves of two nodes, whose uplinks carry what one NIC does.
SmallCluster two_leaves() {
  SmallCluster small;
  small.cluster.fabric = {FabricKind::fat_tree, 2, 2, 0};
  small.cluster.available_nodes = 4;
  small.cluster.growth_max_nodes = 64;
  return small;
}

/// So long an all-reduce that it never ends while it is looked at.
Neighbour always_sending(int nodes) {
  return {"other", nodes, scattered, 0, 1e14};
}

StepSetup setup_beside(const SmallCluster& small, int gpus, const CoLocation& co_location,
                       StrategyName strategy = StrategyName::ring) {
  auto setup = small.setup(strategy, gpus);
  setup.fabrics = std::make_shared<PlacedFabrics>(small.cluster, setup.transport, co_location);
  return setup;
}

StepTime time_beside(const SmallCluster& small, int gpus, const CoLocation& co_location, Fidelity fidelity,
                     StrategyName strategy = StrategyName::ring) {
  return time_step(setup_beside(small, gpus, co_location, strategy), small.sample, fidelity);
}

/// With every message, neighbours add what draws found beside the `quick` run.
void check_range(const StepSetup& setup, const Parameters& sample, const StepTime& full, const StepTime& quick,
                 const FormulaRange& found) {
  const auto run = run_step(setup, sample, Fidelity::formula);
  double alone_s = 0;
  for (const auto& transfer : job_traffic(run.graph, run.execution).transfers) alone_s += transfer.alone_s;
  const auto range_s = added_range_s(quick.parts.neighbours_s, alone_s, found);
  CHECK(full.parts.neighbours_s >= range_s.faster);
  CHECK(full.parts.neighbours_s <= range_s.slower);
}

} // namespace

TEST_CASE("a neighbour that always sends takes half of a link", "[neighbours]") {
  const auto small = two_leaves();
  for (const auto fidelity : {Fidelity::by_default, Fidelity::full}) {
    INFO("fidelity " << static_cast<int>(fidelity));
    const auto alone = time_beside(small, 2, {scattered, {}, 0}, fidelity);
    const auto beside = time_beside(small, 2, {scattered, {always_sending(2)}, 0}, fidelity);
    CHECK(alone.parts.neighbours_s == 0);
    CHECK(alone.parts.exposed_communication_s == Approx(0.1 + 2e-3)); // 2 x 50 MB over 1 GB/s, and two latencies
    CHECK(beside.parts.exposed_communication_s == Approx(alone.parts.exposed_communication_s));
    CHECK(beside.parts.neighbours_s == Approx(0.1).epsilon(0.01)); // the bytes take twice as long, the latencies do not
    CHECK(beside.iteration_s == Approx(alone.iteration_s + beside.parts.neighbours_s));
    CHECK(beside.largest_loss == "communication");
  }
}

TEST_CASE("by formula neighbours add nothing, and the answer says so", "[neighbours]") {
  const auto small = two_leaves();
  const auto beside = time_beside(small, 2, {scattered, {always_sending(2)}, 0}, Fidelity::formula);
  CHECK(beside.parts.neighbours_s == 0);
  CHECK(beside.choice.why == "no formula knows the neighbours on shared links, so that they are left out");
  CHECK(time_beside(small, 2, {scattered, {}, 0}, Fidelity::formula).choice.why.empty());
}

TEST_CASE("jobs on leaves of their own do not meet, and a star has no links to meet on", "[neighbours]") {
  auto small = two_leaves();
  Neighbour other = always_sending(2);
  other.placement = packed;
  CHECK(time_beside(small, 2, {packed, {other}, 0}, Fidelity::by_default).parts.neighbours_s == 0);
  small.cluster.fabric = {FabricKind::star, 0, 1, 0};
  CHECK(time_beside(small, 2, {scattered, {always_sending(2)}, 0}, Fidelity::by_default).parts.neighbours_s == 0);
}

TEST_CASE("a listed node that another job is dealt is refused at that scale", "[neighbours]") {
  const auto small = two_leaves();
  const Transport& transport = small.setup(StrategyName::ring, 2).transport;
  Neighbour other = always_sending(2);
  other.placement = {NodeOrder::listed, {2, 3}};
  const PlacedFabrics fabrics(small.cluster, transport, {packed, {other}, 0});
  CHECK(fabrics.why_no_room(2).empty()); // nodes 0 and 1
  CHECK(fabrics.why_no_room(3).find("node 2 would be the job's and other's") == 0);
  const PlacedFabrics listed(small.cluster, transport, {{NodeOrder::listed, {0, 1}}, {always_sending(2)}, 0});
  CHECK(listed.why_no_room(2).find("node 1 would be the job's and other's") == 0); // a node of each leaf, dealt out
}

TEST_CASE("background traffic takes its share of every uplink", "[neighbours][fabric]") {
  const auto small = two_leaves();
  const auto exposed_s = [&](const NodePlacement& placement, double background) {
    return time_beside(small, 4, {placement, {}, background}, Fidelity::by_default).parts.exposed_communication_s;
  };
  const double latencies_s = 6e-3;
  CHECK(exposed_s(packed, 0) == Approx(0.15 + latencies_s));   // one message leaves each leaf
  CHECK(exposed_s(packed, 0.5) == Approx(0.3).epsilon(0.02));  // few edges are slow, so that latencies hide behind them
  CHECK(exposed_s(scattered, 0) == Approx(0.3 + latencies_s)); // two do
  CHECK(exposed_s(scattered, 0.5) == Approx(0.6 + latencies_s));
}

TEST_CASE("a transfer is ready when what it waits for has ended, also while another holds the network",
          "[neighbours]") {
  auto small = two_leaves();
  small.preset.grouping = Grouping::per_tensor;
  small.preset.overlapped = true;
  small.model.layers = {{"a", "linear", 1e9, 0, {{"a.weight", {25'000'000}, 1e8}}},
                        {"b", "linear", 1e9, 0, {{"b.weight", {25'000'000}, 1e8}}}};
  const auto setup = small.setup(StrategyName::ring, 2);
  const auto run = run_step(setup, small.sample, Fidelity::formula);
  const auto own = job_traffic(run.graph, run.execution);
  REQUIRE(own.transfers.size() == 2);
  CHECK(own.compute_s == Approx(0.3));
  CHECK(own.transfers[0].ready_s == Approx(0.2)); // the second layer's gradient comes first
  CHECK(own.transfers[1].ready_s == Approx(0.3)); // and not 0.302, when the first has passed
  CHECK(own.transfers[1].alone_s == Approx(0.102));
  CHECK(own.transfers[1].edge_bytes == Approx(1e8));
  CHECK(own.transfers[1].rounds == 2);
  CHECK(own.pattern == TrafficPattern::ring);
}

TEST_CASE("a parameter server beside a neighbour: push and pull each take twice as long", "[neighbours]") {
  const auto small = two_leaves();
  const auto alone = time_beside(small, 2, {scattered, {}, 0}, Fidelity::by_default, StrategyName::ps);
  const auto beside =
      time_beside(small, 2, {scattered, {always_sending(2)}, 0}, Fidelity::by_default, StrategyName::ps);
  CHECK(alone.parts.exposed_communication_s == Approx(0.2 + 2e-3)); // one tensor of 100 MB, there and back
  CHECK(alone.parts.neighbours_s == 0);
  CHECK(beside.parts.neighbours_s == Approx(0.2).epsilon(0.01));
  Neighbour other = always_sending(2);
  other.placement = packed;
  CHECK(time_beside(small, 2, {packed, {other}, 0}, Fidelity::by_default, StrategyName::ps).parts.neighbours_s == 0);
}

TEST_CASE("servers of many shards push and pull at once, and beside a neighbour for as long as their bytes need",
          "[neighbours]") {
  auto small = two_leaves();
  small.preset.shardings = {{"pieces", 1}};
  small.preset.split_bytes = 1'000'000;
  const auto setup = [&] {
    auto made = small.setup(StrategyName::ps, 2);
    made.strategy.sharding = Sharding::pieces;
    return made;
  }();
  const auto run = run_step(setup, small.sample, Fidelity::formula);
  const auto own = job_traffic(run.graph, run.execution);
  REQUIRE(own.transfers.size() == 1);
  CHECK(own.server_hosts == std::vector<int>{0, 1});
  CHECK(own.transfers[0].ready_s == Approx(0.3));
  CHECK(own.transfers[0].rounds > 50);
  // Each node pushes half of 100 MB and, as a server's host, gives the other half back; 1 + 1/50 for the last piece.
  CHECK(own.transfers[0].edge_bytes == Approx(1e8 * (1 + 1.0 / 50)).epsilon(0.01));
}

TEST_CASE("a double tree beside a neighbour: its edges cross the links", "[neighbours]") {
  const auto small = two_leaves();
  // On two nodes each tree has one edge: half of the message each way on each, as much as the ring.
  const auto beside =
      time_beside(small, 2, {scattered, {always_sending(2)}, 0}, Fidelity::by_default, StrategyName::tree);
  CHECK(beside.parts.neighbours_s ==
        Approx(0.05).epsilon(0.1)); // two of the three messages on an uplink are the tree's
}

TEST_CASE("every message beside a neighbour lies in the range that draws found", "[neighbours][full][property]") {
  std::mt19937_64 random(13);
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  for (int round = 0; round < 12; ++round) {
    auto small = two_leaves();
    small.cluster.fabric = {FabricKind::fat_tree, 2 + below(7), uniform(random, 1, 4), 0};
    small.sample.net_latency_s = log_uniform(random, 1e-6, 1e-4);
    small.cluster.intra = {IntraKind::nvlink_mesh, 1e10, 1e-6};
    small.cluster.gpus_per_node = 1 + below(4);
    small.preset.grouping = Grouping::per_tensor;
    small.preset.overlapped = true;
    small.model.layers.clear();
    for (int layer = 0; layer < 1 + round % 6; ++layer)
      small.model.layers.push_back(
          {"layer", "linear", 1e9, 0, {{"weight" + std::to_string(layer), {1'000'000L * (1 + below(40))}, 1e8}}});
    const int nodes = 2 + below(most_ranks / 4 - 1);
    const Neighbour other{"other", 2 + below(most_ranks / 2 - 1), scattered, uniform(random, 0, 0.5),
                          log_uniform(random, 1e7, 1e9)};
    const CoLocation co_location{scattered, {other}, 0};
    const double compute_s = uniform(random, 0.02, 0.6);
    auto setup = setup_beside(small, nodes * small.cluster.gpus_per_node, co_location);
    setup.gpus_per_node = small.cluster.gpus_per_node;
    setup.one_gpu_s = compute_s;
    const auto rounds = time_step(setup, small.sample, Fidelity::by_default);
    if (rounds.parts.neighbours_s == 0) continue;
    const auto full = time_step(setup, small.sample, Fidelity::full);
    INFO("round " << round << ": " << nodes << " nodes of " << small.cluster.gpus_per_node << " beside " << other.nodes
                  << ", leaves of " << small.cluster.fabric.nodes_per_leaf);
    check_range(setup, small.sample, full, rounds, rings_beside);
  }
}

TEST_CASE("a neighbour in pairs goes step by step: near pairs stay in their leaf, far ones share its uplink",
          "[neighbours]") {
  auto small = two_leaves();
  small.cluster.fabric = {FabricKind::fat_tree, 4, 4, 0}; // an uplink carries what one NIC does
  small.sample.net_latency_s = 0;
  Neighbour other{"other", 4, {NodeOrder::listed, {1, 2, 5, 6}}, 0.5, 4e8, Algorithm::halving_doubling};
  auto setup = small.setup(StrategyName::ring, 2);
  const auto shared = [&] {
    setup.fabrics = std::make_shared<PlacedFabrics>(small.cluster, setup.transport,
                                                    CoLocation{{NodeOrder::listed, {0, 4}}, {other}, 0});
    const auto run = run_step(setup, small.sample, Fidelity::formula);
    return shared_fabric(setup, small.sample, job_traffic(run.graph, run.execution), 0);
  };
  const auto halving = shared();
  const auto& steps = halving.jobs[1].transfers;
  REQUIRE(steps.size() == 4); // a half, a quarter, and back
  CHECK(steps[0].edge_bytes == Approx(2e8));
  CHECK(steps[1].edge_bytes == Approx(1e8));
  CHECK(steps[0].alone_s == Approx(0.2));
  CHECK(steps[1].alone_s == Approx(0.2)); // two messages on an uplink
  CHECK(steps[2].pattern == steps[1].pattern);
  CHECK(steps[3].continues);
  REQUIRE(halving.links.size() == 4); // up and down of both leaves
  for (const auto& link : halving.links) {
    CHECK(flows_of(link, 0, 0) == 1);
    CHECK(flows_of(link, 1, steps[0].pattern) == 0);
    CHECK(flows_of(link, 1, steps[1].pattern) == 2);
  }
  other.algorithm = Algorithm::recursive_doubling;
  const auto doubling = shared();
  REQUIRE(doubling.jobs[1].transfers.size() == 2); // all of it, twice
  CHECK(doubling.jobs[1].transfers[0].alone_s == Approx(0.4));
  CHECK(doubling.jobs[1].transfers[1].alone_s == Approx(0.8));
  other.algorithm = Algorithm::tree;
  const auto tree = shared();
  REQUIRE(tree.jobs[1].transfers.size() == 1);
  CHECK(tree.jobs[1].edge_Bps == Approx(0.25e9)); // two trees, up and down
  CHECK(tree.rings.empty());
}

TEST_CASE("nodes that are no power of two first give their vector to a neighbour", "[neighbours]") {
  auto small = two_leaves();
  small.sample.net_latency_s = 0;
  auto setup = small.setup(StrategyName::halving_doubling, 3);
  setup.fabrics =
      std::make_shared<PlacedFabrics>(small.cluster, setup.transport, CoLocation{scattered, {always_sending(2)}, 0});
  const auto run = run_step(setup, small.sample, Fidelity::formula);
  const auto own = job_traffic(run.graph, run.execution);
  CHECK(own.pattern == TrafficPattern::halving_doubling);
  const auto shared = shared_fabric(setup, small.sample, own, 0);
  REQUIRE(shared.jobs[0].transfers.size() == 4); // given, halved, doubled, taken back
  for (const std::size_t whole : {0, 3}) CHECK(shared.jobs[0].transfers[whole].edge_bytes == Approx(1e8));
  for (const std::size_t half : {1, 2}) CHECK(shared.jobs[0].transfers[half].edge_bytes == Approx(5e7));
  double lasts_s = 0;
  for (const auto& step : shared.jobs[0].transfers) lasts_s += step.alone_s;
  CHECK(lasts_s == Approx(own.transfers.front().alone_s)); // as the job runs alone
}

TEST_CASE("beside a neighbour that always sends, only the steps that cross its links take longer", "[neighbours]") {
  auto small = two_leaves();
  small.cluster.fabric = {FabricKind::fat_tree, 4, 4, 0};
  small.sample.net_latency_s = 0;
  Neighbour other = always_sending(2);
  other.placement = {NodeOrder::listed, {3, 7}};
  const CoLocation co_location{{NodeOrder::listed, {0, 1, 4, 5}}, {other}, 0};
  // Alone: 50 MB, then 25 MB of two nodes over one uplink, and back: 0.2 s. Beside it the far steps have two thirds.
  for (const auto fidelity : {Fidelity::by_default, Fidelity::full}) {
    INFO("fidelity " << static_cast<int>(fidelity));
    const auto time = time_beside(small, 4, co_location, fidelity, StrategyName::halving_doubling);
    CHECK(time.parts.neighbours_s == Approx(0.05).epsilon(0.01));
  }
}

TEST_CASE("pairs beside pairs: every message lies in the range that draws found", "[neighbours][full][property]") {
  std::mt19937_64 random(1047);
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const std::vector<StrategyName> own{StrategyName::ring, StrategyName::halving_doubling,
                                      StrategyName::recursive_doubling};
  const std::vector<Algorithm> others{Algorithm::ring, Algorithm::halving_doubling, Algorithm::recursive_doubling};
  int met = 0;
  for (int round = 0; round < 27; ++round) {
    auto small = two_leaves();
    small.cluster.fabric = {FabricKind::fat_tree, 2 + below(7), uniform(random, 1, 4), 0};
    small.sample.net_latency_s = log_uniform(random, 1e-6, 1e-4);
    const int nodes = 2 + below(most_ranks / 4 - 1);
    const Neighbour other{"other",
                          2 + below(most_ranks / 2 - 1),
                          scattered,
                          uniform(random, 0, 0.5),
                          log_uniform(random, 1e7, 1e9),
                          others[at(round / 3 % 3)]};
    const auto setup = setup_beside(small, nodes, {scattered, {other}, 0}, own[at(round % 3)]);
    const auto rounds = time_step(setup, small.sample, Fidelity::by_default);
    if (rounds.parts.neighbours_s == 0) continue; // they share no link
    ++met;
    const auto full = time_step(setup, small.sample, Fidelity::full);
    INFO("round " << round << ": " << nodes << " nodes beside " << other.nodes << " by " << to_text(other.algorithm)
                  << ", leaves of " << small.cluster.fabric.nodes_per_leaf);
    const bool in_pairs = round % 3 > 0 || round / 3 % 3 > 0;
    check_range(setup, small.sample, full, rounds, in_pairs ? pairs_beside : rings_beside);
  }
  CHECK(met >= (most_ranks < 64 ? 3 : 10));
}

TEST_CASE("asynchronous servers beside a neighbour: every message lies in the range that draws found",
          "[neighbours][async][full]") {
  std::mt19937_64 random(1053);
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  int met = 0;
  for (int round = 0; round < 12; ++round) {
    auto small = two_leaves();
    small.cluster.fabric = {FabricKind::fat_tree, 2 + below(3), uniform(random, 1, 4), 0};
    small.sample.net_latency_s = log_uniform(random, 1e-6, 1e-4);
    const int nodes = 2 + below(5);
    const Neighbour other{"other", 2 + below(6), scattered, uniform(random, 0, 0.5), log_uniform(random, 5e7, 1e9)};
    const auto setup = setup_beside(small, nodes, {scattered, {other}, 0}, StrategyName::ps_async);
    const auto rounds = time_step(setup, small.sample, Fidelity::by_default);
    const auto full = time_step(setup, small.sample, Fidelity::full);
    INFO("round " << round << ": " << nodes << " nodes beside " << other.nodes << ", leaves of "
                  << small.cluster.fabric.nodes_per_leaf);
    CHECK(full.choice.why.empty());
    if (rounds.parts.neighbours_s == 0) continue; // they share no link
    check_range(setup, small.sample, full, rounds, async_beside);
    CHECK_THAT(rounds.choice.why, Catch::Contains("asynchronous workers stand for all"));
    ++met;
  }
  CHECK(met >= 4);
}

TEST_CASE("jobs that do not fit beside each other are an error", "[neighbours]") {
  const auto small = two_leaves();
  const PlacedFabrics fabrics(small.cluster, {"nccl-tcp", "nic"}, {packed, {always_sending(60)}, 0});
  CHECK(fabrics.why_no_room(4).empty());
  CHECK(fabrics.why_no_room(5) ==
        "5 nodes and the neighbours' 60 are more than the cluster may grow to (64); ask for fewer");
  CHECK(fabrics.without_neighbours()->why_no_room(64).empty());
  const PlacedFabrics listed(small.cluster, {"nccl-tcp", "nic"}, {{NodeOrder::listed, {1, 3}}, {}, 0});
  CHECK(listed.why_no_room(3) == "3 nodes are needed, and /node_placement lists 2; list more, or ask for fewer GPUs");
}

} // namespace ddlsim
