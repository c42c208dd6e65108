#include "sim/collective/pair_exchange.hpp"

#include "sim/network/machine.hpp"
#include "sim/network/nic_rate.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace ddlsim {
namespace {

/// A range of consecutive ranks: those of a node or of a leaf.
struct Group {
  int size = 1;
  int count = 1;
};

/// The pairs of a step, counted for the busiest group.
struct Traffic {
  int leaving = 0;      ///< number of ranks whose partner is in another group
  bool staying = false; ///< whether some group holds both ranks of a pair
};

/// Counts the numbers from first to last-1 whose partner is among them too. In every block of 2 x distance the lower
/// half is paired with the upper one, so only the blocks that the ends cut have numbers without a partner.
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

/// Counts the pairs that leave or stay in a group. Groups differ only by where they start within a block, and these
/// starts repeat in each part. So it is enough to look at one period of each part and at the groups at the ends.
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

/// Counts the pairs (2i, 2i+1). A border between groups cuts a pair when the border is at an odd rank.
Traffic reduce_traffic(const Reduction& reduce, const Group& group) {
  const bool cut = group.count > 1 && group.size % 2 == 1 && group.size < 2 * reduce.rest;
  return {cut ? 1 : 0, group.size > 1};
}

} // namespace

double reduce_s(const Machine& machine, const Reduction& reduce, double size_bytes) {
  const Traffic leaf = has_leaves(machine) ? reduce_traffic(reduce, leaves_of(machine)) : Traffic{};
  return exchange_s(machine, size_bytes, reduce_traffic(reduce, nodes_of(machine)), leaf);
}

double exchange_of_s(const Machine& machine, const Reduction& reduce, int distance, Part part, double message_bytes) {
  const Traffic node = traffic_of(reduce, nodes_of(machine), distance, part);
  const Traffic leaf = has_leaves(machine) ? traffic_of(reduce, leaves_of(machine), distance, part) : Traffic{};
  return exchange_s(machine, message_bytes, node, leaf);
}

bool is_power_of_two(int count) {
  return std::has_single_bit(static_cast<unsigned>(count));
}

std::optional<std::string> why_pairs_have_no_symmetry(const Machine& machine) {
  if (has_slow_node(machine)) return "a slow node delays its partners, and they theirs";
  if (!is_power_of_two(machine.ranks))
    return "the ranks are no power of two: some first give their vector to a neighbour";
  if (!is_power_of_two(ranks_of_full_node(machine))) return "ranks of a node are no power of two";
  if (has_leaves(machine)) return "pairs across leaves share the uplinks, pairs inside do not";
  return std::nullopt;
}

/// In each step all ranks of a node stay inside it, or all leave it through its NIC.
PeriodSteps period_exchange(const Machine& machine, int distance, double message_bytes) {
  const int per_node = ranks_of_full_node(machine);
  const PeriodEdge inside{{{"intra", machine.intra_Bps}}, machine.intra_latency_s};
  const double of_rank_Bps = nic_rate_Bps(machine.nic_Bps, {.sharers = 1.0 * per_node});
  const PeriodEdge across{{{"nic-out", of_rank_Bps}, {"nic-in", of_rank_Bps}}, machine.net_latency_s};
  return {{distance < per_node ? inside : across}, message_bytes, 1};
}

Schedule schedule_of_pairs(const Machine& machine, double size_bytes,
                           const std::function<std::vector<Step>(const Reduction&, int number)>& exchanges) {
  const Reduction reduce(machine.ranks);
  Schedule schedule;
  schedule.receiver_has_room = false;
  for (int rank = 0; rank < 2 * reduce.rest; rank += 2)
    schedule.programs.push_back({rank, {{{{rank + 1, 0, size_bytes}}, {}}, {{}, {{rank + 1, 0}}}}});
  for (int number = 0; number < reduce.numbers; ++number) {
    Program program{reduce.rank_of(number), {}};
    const bool reduced = number < reduce.rest;
    if (reduced) program.steps.push_back({{}, {{program.rank - 1, 0}}});
    const auto steps = exchanges(reduce, number);
    program.steps.insert(program.steps.end(), steps.begin(), steps.end());
    if (reduced) program.steps.push_back({{{program.rank - 1, 0, size_bytes}}, {}});
    schedule.programs.push_back(std::move(program));
  }
  return schedule;
}

bool are_in_step(const Machine& machine) {
  return !has_slow_node(machine) && machine.ranks % ranks_of_full_node(machine) == 0 && !has_leaves(machine) &&
         is_power_of_two(ranks_of_full_node(machine));
}

} // namespace ddlsim
