#include "sim/collective/halving_doubling.hpp"

#include "sim/collective/all_reduce.hpp"
#include "sim/collective/links_in_use.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace ddlsim {
namespace {

/// Ranks that take part once `rest` ranks have given their vector to a neighbour: `numbers`, a power of two.
struct Reduction {
  explicit Reduction(int ranks) {
    while (2 * numbers <= ranks) {
      numbers *= 2;
    }
    rest = ranks - numbers;
  }
  int rank_of(int number) const { return number < rest ? 2 * number + 1 : number + rest; }
  /// How many numbers are below that rank: the ranks of a node have consecutive numbers.
  int numbers_below(int rank) const { return rank < 2 * rest ? rank / 2 : rank - rest; }

  int numbers = 1;
  int rest = 0;
};

/// Ranks next to each other: a node's or a leaf's.
struct Group {
  int size = 1;
  int count = 1;
};

/// What a step asks of the busiest group.
struct Traffic {
  int leaving = 0;      ///< ranks whose partner is in another group
  bool staying = false; ///< some group has a pair inside
};

/// How many of the numbers first .. last-1 have their partner among them. In every block of 2 x distance the lower half
/// is paired with the upper one, so only the blocks cut by the ends lose some.
int paired_inside(int first, int last, int distance) {
  const int block = 2 * distance;
  const int first_block = first / block * block;
  const int last_block = last / block * block;
  if (first_block == last_block) return 2 * std::max(0, last - first - distance);
  const int lower_of_first = std::max(0, first_block + distance - first);
  const int upper_of_last = std::max(0, last - last_block - distance);
  return 2 * (lower_of_first + upper_of_last) + last_block - first_block - block;
}

void look_at(Traffic& traffic, const Reduction& reduce, const Group& group, int index, int distance) {
  const int ranks = reduce.numbers + reduce.rest;
  const int first = reduce.numbers_below(index * group.size);
  const int last = reduce.numbers_below(std::min(ranks, (index + 1) * group.size));
  const int inside = paired_inside(first, last, distance);
  traffic.leaving = std::max(traffic.leaving, last - first - inside);
  traffic.staying = traffic.staying || inside > 0;
}

/// The numbers below `rest` and those above: until a block of a step holds both, they know nothing of each other.
enum class Part { reduced, others, both };

/// Groups differ in where they start in a block; that repeats itself in each part. So one period of each and the groups
/// at the ends are all there are.
Traffic traffic_of(const Reduction& reduce, const Group& group, int distance, Part part) {
  const int repeats = distance < group.size ? 4 * distance : 2;
  const int period = repeats / std::gcd(repeats, group.size);
  Traffic traffic;
  const auto look_at_part = [&](int first, int last) {
    for (int index = first; index < std::min(first + period + 1, last); ++index) {
      look_at(traffic, reduce, group, index, distance);
    }
    for (int index = std::max(first, last - 2); index < last; ++index) {
      look_at(traffic, reduce, group, index, distance);
    }
  };
  if (part != Part::others) look_at_part(0, (2 * reduce.rest + group.size - 1) / group.size);
  if (part != Part::reduced) look_at_part(2 * reduce.rest / group.size, group.count);
  return traffic;
}

Group nodes_of(const Machine& machine) {
  return {machine.ranks_per_node, machine.nodes()};
}

Group leaves_of(const Machine& machine) {
  const int leaves = (machine.nodes() + machine.nodes_per_leaf - 1) / machine.nodes_per_leaf;
  return {machine.ranks_per_node * machine.nodes_per_leaf, leaves};
}

double exchange_s(const Machine& machine, double message_bytes, const Traffic& node, const Traffic& leaf) {
  double time_s = 0;
  if (node.staying) time_s = machine.intra_latency_s + message_bytes / machine.intra_Bps;
  if (node.leaving == 0) return time_s;
  double busy_s = node.leaving * message_bytes / machine.nic_Bps;
  if (leaf.leaving > 0) busy_s = std::max(busy_s, leaf.leaving * message_bytes / machine.uplink_Bps);
  return std::max(time_s, machine.net_latency_s + busy_s);
}

/// Pairs (2i, 2i+1): one is cut by a border of groups when the border is an odd rank.
Traffic reduce_traffic(const Reduction& reduce, const Group& group) {
  const bool cut = group.count > 1 && group.size % 2 == 1 && group.size < 2 * reduce.rest;
  return {cut ? 1 : 0, group.size > 1};
}

double reduce_s(const Machine& machine, const Reduction& reduce, double size_bytes) {
  const Traffic leaf = has_leaves(machine) ? reduce_traffic(reduce, leaves_of(machine)) : Traffic{};
  return exchange_s(machine, size_bytes, reduce_traffic(reduce, nodes_of(machine)), leaf);
}

double exchange_of_s(const Machine& machine, const Reduction& reduce, int distance, Part part, double message_bytes) {
  const Traffic node = traffic_of(reduce, nodes_of(machine), distance, part);
  const Traffic leaf = has_leaves(machine) ? traffic_of(reduce, leaves_of(machine), distance, part) : Traffic{};
  return exchange_s(machine, message_bytes, node, leaf);
}

void add_exchanges(Program& program, const Reduction& reduce, int number, double size_bytes) {
  std::vector<Step> steps;
  for (int distance = 1; distance < reduce.numbers; distance *= 2) {
    const int partner = reduce.rank_of(number ^ distance);
    steps.push_back({{{partner, 0, size_bytes / (2 * distance)}}, {{partner, 0}}});
  }
  program.steps.insert(program.steps.end(), steps.begin(), steps.end());
  program.steps.insert(program.steps.end(), steps.rbegin(), steps.rend());
}

bool is_power_of_two(int count) {
  return std::has_single_bit(static_cast<unsigned>(count));
}

std::optional<std::string> why_halving_doubling_has_no_symmetry(const Machine& machine) {
  if (has_slow_node(machine)) return "a slow node delays its partners, and they theirs";
  if (!is_power_of_two(machine.ranks))
    return "the ranks are no power of two: some first give their vector to a neighbour";
  if (!is_power_of_two(ranks_of_full_node(machine))) return "ranks of a node are no power of two";
  if (has_leaves(machine)) return "pairs across leaves share the uplinks, pairs inside do not";
  return std::nullopt;
}

/// All ranks are alike: in each step all ranks of a node stay inside it, or all leave it through its NIC.
std::vector<PeriodSteps> halving_doubling_period(const Machine& machine, double size_bytes) {
  const int per_node = ranks_of_full_node(machine);
  const PeriodEdge inside{{{"intra", machine.intra_Bps}}, machine.intra_latency_s};
  const PeriodEdge across{{{"nic-out", machine.nic_Bps / per_node}, {"nic-in", machine.nic_Bps / per_node}},
                          machine.net_latency_s};
  std::vector<PeriodSteps> all;
  for (int distance = 1; distance < machine.ranks; distance *= 2)
    all.push_back({{distance < per_node ? inside : across}, size_bytes / (2.0 * distance), 1});
  std::vector<PeriodSteps> doubling(all.rbegin(), all.rend());
  all.insert(all.end(), doubling.begin(), doubling.end());
  return all;
}

/// With nodes of 2^a ranks on one switch all ranks are in step.
bool are_in_step(const Machine& machine) {
  return !has_slow_node(machine) && machine.ranks % ranks_of_full_node(machine) == 0 && !has_leaves(machine) &&
         is_power_of_two(ranks_of_full_node(machine));
}

} // namespace

double halving_doubling_all_reduce_s(const Machine& machine, double size_bytes) {
  require_rates(machine);
  const Reduction reduce(machine.ranks);
  double reduced_s = reduce.rest > 0 ? reduce_s(machine, reduce, size_bytes) : 0;
  double others_s = 0;
  for (int distance = 1; distance < reduce.numbers; distance *= 2) {
    const double message_bytes = size_bytes / (2 * distance);
    if (reduce.rest % (2 * distance) == 0) {
      reduced_s += exchange_of_s(machine, reduce, distance, Part::reduced, message_bytes);
      others_s += exchange_of_s(machine, reduce, distance, Part::others, message_bytes);
    } else {
      others_s = std::max(reduced_s, others_s) + exchange_of_s(machine, reduce, distance, Part::both, message_bytes);
      reduced_s = others_s;
    }
  }
  return 2 * std::max(reduced_s, others_s);
}

Schedule halving_doubling_schedule(const Machine& machine, double size_bytes) {
  require_rates(machine);
  const Reduction reduce(machine.ranks);
  Schedule schedule;
  schedule.receiver_has_room = false;
  for (int rank = 0; rank < 2 * reduce.rest; rank += 2) {
    schedule.programs.push_back({rank, {{{{rank + 1, 0, size_bytes}}, {}}, {{}, {{rank + 1, 0}}}}});
  }
  for (int number = 0; number < reduce.numbers; ++number) {
    Program program{reduce.rank_of(number), {}};
    const bool reduced = number < reduce.rest;
    if (reduced) program.steps.push_back({{}, {{program.rank - 1, 0}}});
    add_exchanges(program, reduce, number, size_bytes);
    if (reduced) program.steps.push_back({{{program.rank - 1, 0, size_bytes}}, {}});
    schedule.programs.push_back(std::move(program));
  }
  return schedule;
}

const AllReduceAlgorithm halving_doubling_all_reduce{
    .time_s = halving_doubling_all_reduce_s,
    .follows_ranks = false,
    .is_exact = are_in_step,
    .gap =
        [](const Machine&, double) {
          return Gap{-0.24, 0.10};
        }, // tests/simgrid/fidelity_selection_test.cpp
    .why_inexact = "pairs of ranks run ahead of others",
    .why_no_symmetry = why_halving_doubling_has_no_symmetry,
    .period = halving_doubling_period,
    .schedule = halving_doubling_schedule,
    .messages =
        [](const Machine& machine, double, int operations) {
          const double ranks = machine.ranks;
          return operations * 2 * ranks * std::floor(std::log2(ranks));
        },
};

} // namespace ddlsim
