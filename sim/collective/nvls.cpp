#include "sim/collective/nvls.hpp"

#include "sim/collective/collective.hpp"
#include "sim/collective/tree.hpp"
#include "sim/network/machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace ddlsim {
namespace {

constexpr int nvls_trees = 2;

/// Bytes that pass a rank's port in one direction for each byte of the message, where its node has that many ranks.
double port_share(int ranks) {
  return ranks > 1 ? 1 + 1.0 / ranks : 0;
}

/// The port_share() of the busiest rank. A short last node has fewer heads, and each of them has a larger share.
double busiest_port_share(const Machine& machine) {
  return std::max(port_share(ranks_of_full_node(machine)), port_share(ranks_of_node(machine, machine.nodes() - 1)));
}

/// The rank of the node that is the head of this share.
int head_of(const Machine& machine, int node, int share) {
  return node * machine.ranks_per_node + share % ranks_of_node(machine, node);
}

int shares_of_head(const Machine& machine, int node, int share) {
  const int ranks = ranks_of_node(machine, node);
  const int place = share % ranks;
  return (ranks_of_full_node(machine) - place + ranks - 1) / ranks;
}

int neighbour_in_node(const Machine& machine, int rank, int distance) {
  const int node = machine.node_of(rank);
  const int ranks = ranks_of_node(machine, node);
  const int first = node * machine.ranks_per_node;
  return first + (rank - first + distance + ranks) % ranks;
}

/// The messages of one share in one tree: reads from the switch, sends up and down the tree, and writes to the switch.
class ShareOfTree {
public:
  ShareOfTree(const Machine& machine, int tree, int share, int chunks, double size_bytes)
      : machine_(machine), share_(share), chunks_(chunks), parents_(tree_parents(machine.nodes(), tree)),
        children_(parents_.size()), first_lane_(4 * (tree * ranks_of_full_node(machine) + share)),
        chunk_bytes_(size_bytes / nvls_trees / chunks) {
    for (std::size_t node = 0; node < parents_.size(); ++node)
      if (parents_[node] >= 0) children_[at(parents_[node])].push_back(static_cast<int>(node));
  }

  void add_programs(Schedule& schedule, int node) const {
    const int head = head_of(machine_, node, share_);
    const bool has_switch = ranks_of_node(machine_, node) > 1;
    Step collected;
    Step spread;
    for (const int child : children_[at(node)]) {
      collected.receives.push_back({head_of(machine_, child, share_), lane_up()});
      spread.sends.push_back({head_of(machine_, child, share_), lane_down(), across_bytes()});
    }
    if (has_switch) {
      const int before = neighbour_in_node(machine_, head, -1);
      const int behind = neighbour_in_node(machine_, head, 1);
      collected.receives.push_back({before, lane_read()});
      spread.sends.push_back({behind, lane_written(), inside_bytes(node)});
      add(schedule, before, {{{{head, lane_read(), inside_bytes(node)}}, {}}});
      add(schedule, behind, {{{}, {{head, lane_written()}}}});
    }
    const int parent = parents_[at(node)];
    if (parent < 0) return add(schedule, head, {collected, spread});
    const int above = head_of(machine_, parent, share_);
    add(schedule, head, {collected, {{{above, lane_up(), across_bytes()}}, {}}});
    add(schedule, head, {{{}, {{above, lane_down()}}}, spread});
  }

private:
  int lane_read() const { return first_lane_; }
  int lane_up() const { return first_lane_ + 1; }
  int lane_down() const { return first_lane_ + 2; }
  int lane_written() const { return first_lane_ + 3; }

  double across_bytes() const { return chunk_bytes_ / ranks_of_full_node(machine_); }

  /// Half of the bytes that pass a head's port, for one of the shares of this head.
  double inside_bytes(int node) const {
    return chunk_bytes_ * port_share(ranks_of_node(machine_, node)) / 2 / shares_of_head(machine_, node, share_);
  }

  void add(Schedule& schedule, int rank, const std::vector<Step>& steps) const {
    Program program = repeated(rank, steps, chunks_);
    if (!program.steps.empty()) schedule.programs.push_back(std::move(program));
  }

  const Machine& machine_;
  int share_;
  int chunks_;
  std::vector<int> parents_;
  std::vector<std::vector<int>> children_;
  int first_lane_;
  double chunk_bytes_;
};

/// The two steps of one period: into the switch, and out of it.
std::vector<PeriodSteps> nvls_period(const Machine& machine, double size_bytes) {
  constexpr int steps = 2;
  const PeriodEdge port{{{"port-out", machine.intra_Bps}, {"port-in", machine.intra_Bps}}, machine.intra_latency_s};
  return {{{port}, size_bytes * port_share(machine.ranks) / steps, steps}};
}

Schedule one_node_schedule(const Machine& machine, double size_bytes) {
  Schedule schedule;
  const double half_bytes = size_bytes * port_share(machine.ranks) / 2;
  for (int rank = 0; rank < machine.ranks; ++rank) {
    const Step step{{{neighbour_in_node(machine, rank, 1), 0, half_bytes}},
                    {{neighbour_in_node(machine, rank, -1), 0}}};
    schedule.programs.push_back({rank, {step, step}});
  }
  return schedule;
}

} // namespace

double nvls_chunk_bytes(const Machine& machine, double size_bytes) {
  constexpr double few_nodes_bytes = 131072;
  constexpr double many_nodes_bytes = 65536;
  constexpr int many_nodes = 4;
  const double head_bytes = machine.nodes() < many_nodes ? few_nodes_bytes : many_nodes_bytes;
  return std::min(ranks_of_full_node(machine) * head_bytes, size_bytes / nvls_trees);
}

int nvls_chunks(const Machine& machine, double size_bytes) {
  if (!(size_bytes > 0)) return 1;
  return static_cast<int>(std::ceil(size_bytes / nvls_trees / nvls_chunk_bytes(machine, size_bytes)));
}

double nvls_all_reduce_s(const Machine& machine, double size_bytes) {
  require_rates(machine);
  if (machine.ranks <= 1 || !(size_bytes > 0)) return 0;
  const double share = busiest_port_share(machine);
  const double inside_s_per_byte = share > 0 ? share / machine.intra_Bps : 0;
  const double inside_latency_s = share > 0 ? 2 * machine.intra_latency_s : 0;
  if (machine.nodes() == 1) return inside_latency_s + size_bytes * inside_s_per_byte;
  const int height = tree_levels(machine.nodes());
  const double net_s_per_byte = tree_s_per_byte_across(machine);
  const double chunk_bytes = nvls_chunk_bytes(machine, size_bytes);
  const double latency_s = inside_latency_s + 2 * height * machine.net_latency_s;
  const double first_s = chunk_bytes * (2 * inside_s_per_byte + 2 * height * net_s_per_byte);
  return latency_s + first_s + (size_bytes - nvls_trees * chunk_bytes) * std::max(inside_s_per_byte, net_s_per_byte);
}

Schedule nvls_schedule(const Machine& machine, double size_bytes) {
  require_rates(machine);
  if (machine.ranks <= 1 || !(size_bytes > 0)) return {};
  if (machine.nodes() == 1) return one_node_schedule(machine, size_bytes);
  Schedule schedule;
  const int chunks = nvls_chunks(machine, size_bytes);
  for (int tree = 0; tree < nvls_trees; ++tree)
    for (int share = 0; share < ranks_of_full_node(machine); ++share) {
      const ShareOfTree messages(machine, tree, share, chunks, size_bytes);
      for (int node = 0; node < machine.nodes(); ++node) messages.add_programs(schedule, node);
    }
  return schedule;
}

namespace {

double nvls_messages(const Machine& machine, double size_bytes, int operations) {
  const double ranks = machine.ranks;
  if (machine.nodes() == 1) return operations * 2 * ranks;
  return operations * 4 * nvls_trees * ranks * nvls_chunks(machine, size_bytes / operations);
}

} // namespace

const CollectiveAlgorithm nvls_all_reduce{
    .time_s = nvls_all_reduce_s,
    .follows_ranks = false,
    // tests/simgrid/full_all_reduce_test.cpp checks this
    .is_exact = [](const Machine& machine) { return machine.nodes() == 1; },
    .between_nodes =
        {
            .pattern = TrafficPattern::double_tree,
            .nic_bytes = nic_bytes_of_trees,
            .rounds = nvls_chunks,
            .passes_every_gpu = false,
        },
    .why_no_symmetry = [](const Machine& machine) -> std::optional<std::string> {
      if (machine.nodes() == 1) return std::nullopt;
      return "every node of the double tree between the switches has another height in each of the two";
    },
    .period = nvls_period,
    .schedule = nvls_schedule,
    .messages = nvls_messages,
    .programs_per_rank = 8, // reads, sends up, sends down and writes in each of the two trees
};

} // namespace ddlsim
