#pragma once
// How far SimGrid with every message was found from the formulas, and from runs that simplify: what the tests know of
// both, and the product does not say.

#include "sim/collective/collective.hpp"
#include "sim/collective/fabric_load.hpp"
#include "sim/network/machine.hpp"
#include "sim/parameter_server/exchange.hpp"

#include <algorithm>

namespace ddlsim {

/// One time over another, less 1: the least and the most that draws found.
struct FormulaRange {
  double faster = 0;
  double slower = 0;
};

/// Both ranges after one another.
inline FormulaRange widened(const FormulaRange& one, const FormulaRange& other) {
  return {(1 + one.faster) * (1 + other.faster) - 1, (1 + one.slower) * (1 + other.slower) - 1};
}

/// SimGrid with every message over the formula, one all-reduce on a switch without a slow node, where the formula is
/// not exact. Found on 2 to 64 ranks, 1 to 8 a node (engine_choice_test.cpp), unless a row says otherwise.
inline FormulaRange range_on_switch(const Machine& machine, Algorithm algorithm, double operation_bytes) {
  constexpr double few_chunks_bytes = 2e6;
  constexpr double many_chunks_bytes = 2e7;
  const bool is_small = operation_bytes < few_chunks_bytes;
  switch (algorithm) {
  case Algorithm::hierarchical_ring: // a slow node and a short last one delay different parts: a few latencies
    return {-0.05, 0};
  case Algorithm::tree: // chunks share NICs as they meet
    if (is_small || machine.nodes() == 3) return {-0.32, 0.005};
    return {operation_bytes < many_chunks_bytes ? -0.14 : -0.07, 0.005};
  case Algorithm::halving_doubling: // pairs of ranks run ahead of others
    return {-0.24, 0.10};
  case Algorithm::recursive_doubling: // the same
    return {-0.12, 0.12};
  case Algorithm::segmented_ring: // short nodes and leaves count as full ones; 257 to 512 ranks: -0.002 to 0.13
    return {-0.02, 0.2};
  case Algorithm::nvls: // chunks share NICs and ports as they meet; 28 % faster on 3 nodes of 8
    return {-0.3, 0.005};
  case Algorithm::collnet: // 450 draws: -0.32 to 0 for small messages, -0.22 to 0 for large; short nodes wait less
    return {is_small ? -0.45 : -0.3, 0.005};
  case Algorithm::nvls_sharp: // 440 draws, short last nodes and leaves among them: -0.50 to 0.35
    return {-0.55, 0.4};
  default: // a ring is exact
    return {};
  }
}

/// SimGrid with every message on a fabric over the same on one switch whose NICs are as slow as the busiest link makes
/// them, on top of range_on_switch(). A little more than the range of thousands of draws as in fabric_test.cpp, on up
/// to 64 ranks. Links that messages share all count as the busiest.
inline FormulaRange range_on_fabric(Algorithm algorithm, double operation_bytes) {
  constexpr double few_chunks_bytes = 2e6;
  switch (algorithm) {
  case Algorithm::tree:
    return operation_bytes < few_chunks_bytes ? FormulaRange{-0.75, 0.3} : FormulaRange{-0.25, 0.03};
  case Algorithm::halving_doubling:
    return {-0.65, 0.2};
  case Algorithm::recursive_doubling:
    return {-0.57, 0.6};
  case Algorithm::nvls:
    return {-0.75, 0.3};
  case Algorithm::collnet:
  case Algorithm::nvls_sharp:
    return {-0.35, 0.05};
  default: // rings, whole, hierarchical or in segments
    return {-0.35, 0};
  }
}

/// Where the formula is not exact on one switch or in leaves. Where only some ranks are slowed, it has all of them
/// slowed and is an upper bound; the same without a slow node and without leaves is a lower one.
inline FormulaRange range_in_leaves(const Machine& machine, Algorithm algorithm, double operation_bytes) {
  constexpr double slow_node_slower = 0.02; // some ranks wait for the slow node; the formula has all of them wait
  const auto& row = collective_algorithm(all_reduce_by(algorithm));
  if (row.is_exact(machine)) return {};
  FormulaRange range = range_on_switch(machine, algorithm, operation_bytes);
  if (row.follows_ranks || !(has_slow_node(machine) || has_leaves(machine))) return range;
  Machine free = machine;
  free.slow_nic_factor = 1;
  free.nodes_per_leaf = 0;
  const double free_s = all_reduce_s(free, operation_bytes, algorithm);
  range.faster = (1 + range.faster) * free_s / all_reduce_s(machine, operation_bytes, algorithm) - 1;
  range.slower = std::max(range.slower, slow_node_slower);
  return range;
}

/// SimGrid with every message over the formula on any machine. Where no link of a fabric is busier than a NIC, a ring is
/// as on one switch.
inline FormulaRange formula_range(const Machine& machine, Algorithm algorithm, double operation_bytes) {
  const auto pattern = collective_algorithm(all_reduce_by(algorithm)).between_nodes.pattern;
  const Machine alike = on_one_switch(machine, pattern);
  const FormulaRange range = range_in_leaves(alike, algorithm, operation_bytes);
  const bool is_narrowed = alike.nic_Bps < machine.nic_Bps;
  const bool is_ring = pattern == TrafficPattern::ring;
  if (!machine.fabric || (is_ring && !is_narrowed)) return range;
  return widened(range, range_on_fabric(algorithm, operation_bytes));
}

/// SimGrid with every message of a double tree over one node of each height: up to 300 ranks of any rates, 1 to 9 a
/// node (tree_classes_test.cpp).
inline FormulaRange range_of_tree_classes(double operation_bytes) {
  constexpr double many_chunks_bytes = 2e7;
  return operation_bytes < many_chunks_bytes ? FormulaRange{-0.15, 0.12} : FormulaRange{-0.03, 0.02};
}

/// SimGrid with every message over the formula for unequal shards on servers on the workers' nodes, one a node or on
/// every second one: ResNet-50, Inception v3, VGG-16 and BERT by every rule, backward of 0 to 0.3 s, on a switch and in
/// leaves of 6. The worst is ResNet-50 by bytes on 8 nodes; from 128 nodes it is 2.6 %. server_formula_test.cpp holds a
/// smaller list.
constexpr FormulaRange range_of_servers{-0.18, 0.003};

/// The same of servers on a fabric, over the formula on one switch whose NICs are as slow as the busiest link makes
/// them.
constexpr FormulaRange range_of_servers_on_fabric{-0.85, 0.15};

/// The formula knows no slow node: with one a run takes up to as much longer as its NIC is slower.
inline FormulaRange range_of_servers_with(const Machine& machine) {
  if (machine.nodes() == 1 || machine.slow_nic_factor >= 1) return range_of_servers;
  return {range_of_servers.faster, (1 + range_of_servers.slower) / machine.slow_nic_factor - 1};
}

// Jobs beside each other: mean of 16 iterations.

/// Of simulate_rounds to simulate_every_message: -8.3 to +11.0 % over 600 draws of tests/neighbours/random_jobs.hpp with
/// two jobs, half of them of 4 to 32 ranks and half of 4 to 64; 9 of 10 draws within 2.8 %, rms 1.5 %. Where it is
/// largest, the mean iteration is
///   a neighbour with 4 or more messages on one link    -6.8 to +11.0 %
///   with fewer                                         -8.3 to +4.6 %
///   a ring of 4 to 6 ranks                             -8.3 to +3.7 %
///   of more than 16                                    -4.0 to +11.0 %
/// The likely reason: a job's messages of a round come at one moment here, and with every message they come apart.
constexpr FormulaRange rounds_over_messages{-0.09, 0.12};

// A run with every message less a run by rounds, as a share of the time that the job's messages take
// beside neighbours.

constexpr FormulaRange rings_beside{-0.09, 0.12}; ///< both jobs in rings

/// Some job in pairs. Set by draws as those of tests/iteration/neighbours_cost_test.cpp with seeds 47 and 53: -0.01 to
/// 0.33 in 27 draws. The test draws by other seeds.
constexpr FormulaRange pairs_beside{-0.09, 0.45};

/// Asynchronous servers, whose workers come to a link in bursts: -0.19 to 0.26 in 12 draws.
constexpr FormulaRange async_beside{-0.3, 0.4};

/// The least and the most that neighbours add with every message, where a quicker run has them add `added_s` to the
/// `alone_s` that the job's messages take without them.
inline FormulaRange added_range_s(double added_s, double alone_s, const FormulaRange& range) {
  const double sent_s = added_s + alone_s;
  return {std::max(0.0, added_s + range.faster * sent_s), added_s + range.slower * sent_s};
}

} // namespace ddlsim
