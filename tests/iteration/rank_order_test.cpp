// Replicas outside stages: where tensor groups, pairs of stages and replicas are, and what they share.

#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/pipeline_layout.hpp"
#include "tests/predict/even_model.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <vector>

namespace ddlsim {
namespace {

constexpr auto last = RankOrder::replicas_last;

/// Sixteen nodes of eight ranks: 80 GB/s a NIC, leaves of four nodes.
Machine sixteen_nodes() {
  Machine machine;
  machine.ranks = 128;
  machine.ranks_per_node = 8;
  machine.intra_Bps = 20e9;
  machine.nic_Bps = 80e9;
  machine.nodes_per_leaf = 4;
  machine.uplink_Bps = 320e9;
  return machine;
}

/// Ranks that sum with rank 0, by the definition of the order: tensor, context, stages, replicas.
std::vector<int> sharers_of_first(const PipelineLayout& layout) {
  std::vector<int> ranks;
  for (int replica = 0; replica < layout.replicas; ++replica)
    for (int context = 0; context < layout.context; ++context)
      ranks.push_back(layout.tensor * (context + layout.context * layout.stages * replica));
  return ranks;
}

} // namespace

TEST_CASE("replicas outside stages are on the nodes where the order of ranks puts them", "[pipeline][layout]") {
  const auto all = sixteen_nodes();
  for (const auto& [stages, tensor, context] : {std::tuple{4, 8, 1},
                                                {2, 8, 1},
                                                {4, 2, 1},
                                                {2, 2, 1},
                                                {8, 1, 1},
                                                {16, 1, 1},
                                                {4, 2, 2},
                                                {2, 4, 2},
                                                {2, 2, 8},
                                                {2, 8, 2},
                                                {8, 8, 2},
                                                {16, 8, 1}}) {
    INFO(stages << " stages, tensor " << tensor << ", context " << context);
    const PipelineLayout layout{stages, all.ranks / (stages * tensor * context), tensor, context, last};
    const auto group = machine_of_replicas(all, layout);
    const auto ranks = sharers_of_first(layout);
    std::set<int> nodes;
    std::set<int> leaves;
    for (const int rank : ranks) nodes.insert(all.node_of(rank));
    for (const int node : nodes) leaves.insert(node / all.nodes_per_leaf);
    CHECK(group.ranks == static_cast<int>(ranks.size()));
    CHECK(group.nodes() == static_cast<int>(nodes.size()));
    const auto of_leaf = static_cast<int>(leaves.size());
    CHECK((group.nodes() + group.nodes_per_leaf - 1) / group.nodes_per_leaf == of_leaf);
    // All ranks of a node, and of a leaf, are of as many groups as it has ranks over those of one of them.
    const double of_node = static_cast<double>(ranks.size()) / static_cast<double>(nodes.size());
    CHECK(group.nic_Bps == Approx(80e9 * of_node / 8));
    const double ranks_of_leaf = static_cast<double>(ranks.size()) / static_cast<double>(leaves.size());
    CHECK(group.uplink_Bps == Approx(320e9 * ranks_of_leaf / 32));
  }
}

TEST_CASE("stages of one replica are next to each other where replicas are outside", "[pipeline][layout]") {
  const auto all = sixteen_nodes();
  const auto inside = machine_of_pair(all, {4, 16, 2, 1, last}, 0); // a replica a node
  CHECK(inside.nodes() == 1);
  CHECK(machine_of_pair(all, {4, 16, 2, 1, last}, 3).nodes() == 1);
  const auto half = machine_of_pair(all, {4, 8, 4, 1, last}, 1); // two stages a node: four ranks send to the next
  CHECK(machine_of_pair(all, {4, 8, 4, 1, last}, 0).nodes() == 1);
  CHECK(half.nodes() == 2);
  CHECK(half.nic_Bps == 20e9);
  CHECK(half.nodes_per_leaf == 0); // replicas of two nodes are on one leaf
  CHECK(machine_of_pair(all, {4, 8, 4, 1, last}, 3).nic_Bps == 20e9);
  // A stage a node, a replica a leaf. Then a replica of two leaves: stages 3 and 4 are on either side, eight ranks each.
  CHECK(machine_of_pair(all, {4, 4, 8, 1, last}, 3).nodes_per_leaf == 0);
  CHECK(machine_of_pair(all, {8, 2, 8, 1, last}, 2).nodes_per_leaf == 0);
  const auto between = machine_of_pair(all, {8, 2, 8, 1, last}, 3);
  CHECK(between.nodes_per_leaf == 1);
  CHECK(between.uplink_Bps == 320e9 / 8);
  // With stages last a stage is a leaf, all 32 ranks of which pass its uplinks at once.
  const auto stages_last = machine_of_pair(all, {4, 4, 8, 1}, 0);
  CHECK(stages_last.uplink_Bps == 320e9 / 32);
}

namespace {

/// Twelve layers on nodes of four GPUs.
struct Twelve : EvenModel {
  Twelve() : EvenModel(12) { cluster.gpus_per_node = 4; }

  StepSetup on(int stages, int gpus, RankOrder order) const {
    auto asked = pipeline(stages, 1, gpus);
    asked.strategy.parallel.rank_order = order;
    asked.gpus_per_node = 4;
    return asked;
  }
};

} // namespace

TEST_CASE("replicas outside stages send inside nodes and sum between them", "[pipeline]") {
  // Four stages on two nodes of four. One micro-batch of 32 samples, 32 MB out of each stage; 3 MB of gradients a stage.
  // Stages last: two stages a node, so that one of three cuts is between nodes, over a NIC for two pairs; and sums are
  // inside. Replicas last: the other way round, sums of four stages over one NIC.
  const Twelve twelve;
  const auto inner = time_step(twelve.on(4, 8, RankOrder::stages_last), twelve.sample, Fidelity::formula);
  const auto outer = time_step(twelve.on(4, 8, last), twelve.sample, Fidelity::formula);
  const double inside_Bps = 1e9;
  const double nic_Bps = 1e9;
  CHECK(outer.parts.exposed.pipeline_s == Approx(2 * 3 * 32e6 / inside_Bps).epsilon(1e-3));
  CHECK(inner.parts.exposed.pipeline_s == Approx(2 * (2 * 32e6 / inside_Bps + 2 * 32e6 / nic_Bps)).epsilon(2e-2));
  CHECK(inner.parts.exposed.data_parallel_s == Approx(2 * 1.5e6 / inside_Bps).epsilon(1e-3));
  CHECK(outer.parts.exposed.data_parallel_s ==
        Approx(2 * (4 * 1.5e6 / nic_Bps + twelve.sample.net_latency_s)).epsilon(1e-3));
  CHECK(inner.parts.bubble_s == Approx(outer.parts.bubble_s));
}

TEST_CASE("a replica that shares nodes unevenly is reported", "[pipeline][layout]") {
  const Twelve twelve;
  const auto message = [&](int stages, int gpus, RankOrder order) {
    return layout_complaint(twelve.model, twelve.on(stages, gpus, order).strategy, 8, gpus, 4);
  };
  CHECK(message(6, 24, RankOrder::stages_last).empty());
  CHECK_THAT(message(6, 24, last), Catch::Contains("a replica of 6 GPUs shares nodes of 4 unevenly"));
  CHECK(message(2, 24, last).empty());
  CHECK(message(12, 24, last).empty());
  CHECK(message(3, 3, last).empty());
  CHECK(most_gpus_laid_out(twelve.on(6, 24, last).strategy.parallel, 50, 4) == 0);
  CHECK(most_gpus_laid_out(twelve.on(12, 24, last).strategy.parallel, 50, 4) == 48);
}

} // namespace ddlsim
