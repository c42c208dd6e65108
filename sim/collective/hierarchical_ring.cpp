#include "sim/collective/hierarchical_ring.hpp"

#include "sim/collective/collective.hpp"
#include "sim/collective/fabric_load.hpp"
#include "sim/collective/ring.hpp"
#include "sim/network/machine.hpp"

#include <cstddef>
#include <utility>

namespace ddlsim {
namespace {

/// Adds the steps of a ring inside the node, which are a reduce-scatter or an all-gather. A ring of g ranks has g - 1
/// steps.
void add_steps_inside(Program& program, const Machine& machine, double size_bytes) {
  const int node = machine.node_of(program.rank);
  const int ranks = ranks_of_node(machine, node);
  const int first = node * machine.ranks_per_node;
  const int place = program.rank - first;
  for (int step = 0; step + 1 < ranks; ++step) {
    program.steps.push_back(
        {{{first + (place + 1) % ranks, 0, size_bytes / ranks}}, {{first + (place + ranks - 1) % ranks, 0}}});
  }
}

/// The rank of the node that carries this part of the vector.
int carrier(const Machine& machine, int node, int part) {
  return node * machine.ranks_per_node + part * ranks_of_node(machine, node) / ranks_of_full_node(machine);
}

/// A step of the rings over nodes: one message for each part the rank carries.
Step step_across(const Machine& machine, int rank, double size_bytes) {
  const int nodes = machine.nodes();
  const int parts = ranks_of_full_node(machine);
  const int node = machine.node_of(rank);
  Step step;
  for (int part = 0; part < parts; ++part) {
    if (carrier(machine, node, part) != rank) continue;
    step.sends.push_back({carrier(machine, (node + 1) % nodes, part), 0, size_bytes / parts / nodes});
    step.receives.push_back({carrier(machine, (node + nodes - 1) % nodes, part), 0});
  }
  return step;
}

/// A machine with one rank for each node, for the ring over nodes.
Machine across_nodes(const Machine& machine) {
  Machine across = machine;
  across.ranks = machine.nodes();
  across.ranks_per_node = 1;
  return across;
}

Machine inside_node(const Machine& machine) {
  Machine inside = machine;
  inside.ranks = ranks_of_full_node(machine);
  inside.ranks_per_node = inside.ranks;
  return inside;
}

/// The steps of one period: a reduce-scatter inside the node, a ring over the nodes, an all-gather inside the node. The
/// rings of a node's parts run in parallel. Together they are one ring that sends the whole message through the whole
/// NIC.
std::vector<PeriodSteps> hierarchical_period(const Machine& machine, double size_bytes) {
  std::vector<PeriodSteps> all;
  const Machine inside = inside_node(machine);
  const Machine across = across_nodes(machine);
  if (inside.ranks > 1) all.push_back({ring_period_edges(inside), size_bytes / inside.ranks, inside.ranks - 1});
  if (across.ranks > 1) all.push_back({ring_period_edges(across), size_bytes / across.ranks, 2 * (across.ranks - 1)});
  if (inside.ranks > 1) all.push_back(all.front());
  return all;
}

bool full_nodes(const Machine& machine) {
  return machine.ranks % ranks_of_full_node(machine) == 0;
}

} // namespace

double hierarchical_ring_all_reduce_s(const Machine& machine, double size_bytes) {
  require_rates(machine);
  return ring_all_reduce_s(inside_node(machine), size_bytes) + ring_all_reduce_s(across_nodes(machine), size_bytes);
}

Schedule hierarchical_ring_schedule(const Machine& machine, double size_bytes) {
  require_rates(machine);
  Schedule schedule;
  for (int rank = 0; rank < machine.ranks; ++rank) {
    Program program{rank, {}};
    add_steps_inside(program, machine, size_bytes);
    if (machine.nodes() > 1)
      program.steps.insert(program.steps.end(), 2 * at(machine.nodes() - 1), step_across(machine, rank, size_bytes));
    add_steps_inside(program, machine, size_bytes);
    schedule.programs.push_back(std::move(program));
  }
  return schedule;
}

const CollectiveAlgorithm hierarchical_ring_all_reduce{
    .time_s = hierarchical_ring_all_reduce_s,
    .follows_ranks = true,
    .is_exact = [](const Machine& machine) { return full_nodes(machine) || !has_slow_node(machine); },
    .between_nodes =
        {
            .pattern = TrafficPattern::ring,
            .nic_bytes = nic_bytes_of_ring_over_nodes,
            .rounds = [](const Machine& machine, double) { return 2 * (machine.ranks - 1); },
            .passes_every_gpu = false,
        },
    .why_no_symmetry = [](const Machine& machine) { return why_ring_has_no_symmetry(across_nodes(machine)); },
    .period = hierarchical_period,
    .schedule = hierarchical_ring_schedule,
    .messages =
        [](const Machine& machine, double, int operations) {
          const double ranks = machine.ranks;
          return operations * (2.0 * (ranks_of_full_node(machine) - 1) * ranks +
                               2.0 * (machine.nodes() - 1) * ranks_of_full_node(machine) * machine.nodes());
        },
};

} // namespace ddlsim
