#include "sim/collective/halving_doubling.hpp"
#include "sim/network/machine.hpp"
#include "tests/collective/machines.hpp"
#include "tests/collective/schedule_sums.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

namespace ddlsim {
namespace {

int reduced_ranks(int ranks) {
  int power = 1;
  while (2 * power <= ranks) {
    power *= 2;
  }
  return ranks - power;
}

/// The round in which a rank takes its step: those that do not fold wait for the first round, those that give their
/// vector away for the last.
std::size_t round_of(const Program& program, std::size_t step, int rest, std::size_t rounds) {
  if (rest == 0) return step;
  if (program.rank >= 2 * rest) return step + 1;
  return program.rank % 2 == 0 && step == 1 ? rounds - 1 : step;
}

/// All ranks in step: each round lasts as long as the busiest link, counted message by message.
double by_rounds_s(const Machine& machine, double size_bytes) {
  const Schedule schedule = halving_doubling_schedule(machine, size_bytes);
  const int rest = reduced_ranks(machine.ranks);
  std::size_t rounds = 0;
  for (const Program& program : schedule.programs) {
    rounds = std::max(rounds, program.steps.size() + (rest > 0 && program.rank >= 2 * rest ? 2 : 0));
  }
  double total_s = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::map<int, double> node_s, leaf_s;
    double round_s = 0;
    for (const Program& program : schedule.programs) {
      for (std::size_t i = 0; i < program.steps.size(); ++i) {
        if (round_of(program, i, rest, rounds) != round || program.steps[i].sends.empty()) continue;
        const Send& send = program.steps[i].sends.front();
        const int from = machine.node_of(program.rank);
        const int to = machine.node_of(send.to);
        if (from == to) {
          round_s = std::max(round_s, machine.intra_latency_s + send.size_bytes / machine.intra_Bps);
          continue;
        }
        const double nic_s = node_s[from] += send.size_bytes / machine.nic_Bps;
        round_s = std::max(round_s, machine.net_latency_s + nic_s);
        if (!has_leaves(machine) || from / machine.nodes_per_leaf == to / machine.nodes_per_leaf) continue;
        const double uplink_s = leaf_s[from / machine.nodes_per_leaf] += send.size_bytes / machine.uplink_Bps;
        round_s = std::max(round_s, machine.net_latency_s + uplink_s);
      }
    }
    total_s += round_s;
  }
  return total_s;
}

} // namespace

TEST_CASE("halving-doubling, one GPU a node, powers of two: 2 log2 N latency + 2(N-1)/N S/B", "[halving-doubling]") {
  for (const double size_bytes : {4.0, 1e6, 1e8}) {
    int exchanges = 0;
    for (int nodes = 1; nodes <= 4096; nodes *= 2) {
      const Machine machine = two_level(nodes, 1);
      const double exact_s =
          2 * exchanges * machine.net_latency_s + 2.0 * (nodes - 1) / nodes * size_bytes / machine.nic_Bps;
      CHECK(halving_doubling_all_reduce_s(machine, size_bytes) == Approx(exact_s).epsilon(rounding));
      ++exchanges;
    }
  }
}

TEST_CASE("halving-doubling, any other number: two more exchanges of the whole vector", "[halving-doubling]") {
  for (int nodes = 2; nodes <= 64; ++nodes) {
    const int rest = reduced_ranks(nodes);
    if (rest == 0) continue;
    const Machine machine = two_level(nodes, 1);
    const double power_s = halving_doubling_all_reduce_s(two_level(nodes - rest, 1), 1e7);
    const double exact_s = power_s + 2 * (machine.net_latency_s + 1e7 / machine.nic_Bps);
    CHECK(halving_doubling_all_reduce_s(machine, 1e7) == Approx(exact_s).epsilon(rounding));
  }
}

TEST_CASE("halving-doubling, 4 ranks a node: halves inside, then four ranks share the NIC", "[halving-doubling]") {
  const Machine machine = two_level(32, 4);
  const double inside_s = 2 * (2 * machine.intra_latency_s + 0.75 * 1e8 / machine.intra_Bps);
  const double across_s = 2 * (3 * machine.net_latency_s + 7.0 / 8 * 1e8 / machine.nic_Bps);
  CHECK(halving_doubling_all_reduce_s(machine, 1e8) == Approx(inside_s + across_s).epsilon(rounding));
}

TEST_CASE("halving-doubling counts the busiest node and leaf as its messages do", "[halving-doubling]") {
  std::mt19937_64 random(20240612);
  int compared = 0;
  while (compared < 600) {
    const Machine machine = random_machine(random, 300);
    const int rest = reduced_ranks(machine.ranks);
    if (rest > 0 && rest % 2 == 0) continue; // reduced ranks and others are out of step there
    const double size_bytes = log_uniform(random, 1, 1e9);
    INFO(machine.ranks << " ranks, " << machine.ranks_per_node << " a node, leaf of " << machine.nodes_per_leaf);
    CHECK(halving_doubling_all_reduce_s(machine, size_bytes) ==
          Approx(by_rounds_s(machine, size_bytes)).epsilon(rounding));
    ++compared;
  }
}

TEST_CASE("halving-doubling: no message is lost, no rank sends more than it must", "[halving-doubling]") {
  for (int ranks = 2; ranks <= 70; ++ranks) {
    const Schedule schedule = halving_doubling_schedule(two_level(ranks, 1), 1e6);
    CHECK(every_message_arrives(schedule));
    const int rest = reduced_ranks(ranks);
    const double core_bytes = 2.0 * (ranks - rest - 1) / (ranks - rest) * 1e6;
    const auto bytes = bytes_out_of_nodes(two_level(ranks, 1), schedule);
    for (int rank = 0; rank < ranks; ++rank) {
      const double expected_bytes = rank >= 2 * rest ? core_bytes : rank % 2 == 0 ? 1e6 : core_bytes + 1e6;
      CHECK(bytes[static_cast<std::size_t>(rank)] == Approx(expected_bytes));
    }
  }
}

} // namespace ddlsim
