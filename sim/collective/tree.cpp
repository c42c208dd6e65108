#include "sim/collective/tree.hpp"

#include "sim/collective/collective.hpp"
#include "sim/network/machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ddlsim {
namespace {

constexpr int trees = 2;

int depth(const Machine& machine) {
  return ranks_of_full_node(machine) - 1 + tree_levels(machine.nodes());
}

/// Bytes that pass the port of the busiest of `members` in one direction for each byte of the message.
double share(int members) {
  if (members < 2) return 0;
  return members == 2 ? 1 : 2;
}

/// The node's parent in tree 0; -1 for the root.
int parent_of(int node, int nodes) {
  if (node == 0) return -1;
  const int lowest_bit = node & -node;
  const int above = (node ^ lowest_bit) | (2 * lowest_bit);
  return above < nodes ? above : node ^ lowest_bit;
}

/// Number of edges of both trees that leave the busiest leaf. Each edge carries half of the bytes in each direction.
int most_edges_of_leaf(const Machine& machine) {
  std::vector<int> edges(static_cast<std::size_t>(machine.nodes() / machine.nodes_per_leaf + 1));
  for (int tree = 0; tree < trees; ++tree) {
    const std::vector<int> parents = tree_parents(machine.nodes(), tree);
    for (std::size_t node = 0; node < parents.size(); ++node) {
      if (parents[node] < 0) continue;
      const std::size_t below = node / static_cast<std::size_t>(machine.nodes_per_leaf);
      const auto above = static_cast<std::size_t>(parents[node] / machine.nodes_per_leaf);
      if (below == above) continue;
      ++edges[below];
      ++edges[above];
    }
  }
  return *std::max_element(edges.begin(), edges.end());
}

/// The ranks with which a rank of a tree exchanges messages.
struct Relatives {
  int parent = -1;
  std::vector<int> children;
};

std::vector<Relatives> relatives_of(const Machine& machine, int tree) {
  const std::vector<int> parents = tree_parents(machine.nodes(), tree);
  std::vector<Relatives> relatives(static_cast<std::size_t>(machine.ranks));
  for (int rank = 0; rank < machine.ranks; ++rank) {
    const int node = machine.node_of(rank);
    const bool head = rank == node * machine.ranks_per_node;
    const int above = parents[static_cast<std::size_t>(node)];
    const int parent = !head ? rank - 1 : above < 0 ? -1 : above * machine.ranks_per_node;
    relatives[static_cast<std::size_t>(rank)].parent = parent;
    if (parent >= 0) relatives[static_cast<std::size_t>(parent)].children.push_back(rank);
  }
  return relatives;
}

int lane_up(int tree) {
  return 2 * tree;
}

int lane_down(int tree) {
  return 2 * tree + 1;
}

Step take_from_children(const Relatives& own, int tree) {
  Step step;
  for (const int child : own.children) {
    step.receives.push_back({child, lane_up(tree)});
  }
  return step;
}

Step give_to_children(const Relatives& own, int tree, double chunk_bytes) {
  Step step;
  for (const int child : own.children) {
    step.sends.push_back({child, lane_down(tree), chunk_bytes});
  }
  return step;
}

} // namespace

double tree_s_per_byte_across(const Machine& machine) {
  if (machine.nodes() < 2) return 0;
  const double nic_s = share(machine.nodes()) / machine.nic_Bps;
  if (!has_leaves(machine)) return nic_s;
  // In each level a tree crosses a border between leaves at most once. There are two trees and two borders, and a tree
  // carries half of the bytes.
  const double most_uplink_s = 2.0 * (tree_levels(machine.nodes()) + 1) / machine.uplink_Bps;
  if (most_uplink_s <= nic_s) return nic_s;
  return std::max(nic_s, most_edges_of_leaf(machine) / 2.0 / machine.uplink_Bps);
}

int tree_levels(int nodes) {
  int levels = 0;
  while ((1 << levels) < nodes) {
    ++levels;
  }
  return levels;
}

std::vector<int> tree_parents(int nodes, int tree) {
  std::vector<int> parents(static_cast<std::size_t>(nodes));
  for (int node = 0; node < nodes; ++node) {
    const bool mirrored = nodes % 2 == 0;
    const auto other = [&](int index, int shift) { return mirrored ? nodes - 1 - index : (index + shift) % nodes; };
    if (tree == 0) {
      parents[static_cast<std::size_t>(node)] = parent_of(node, nodes);
      continue;
    }
    const int parent = parent_of(other(node, nodes - 1), nodes);
    parents[static_cast<std::size_t>(node)] = parent < 0 ? -1 : other(parent, 1);
  }
  return parents;
}

double tree_chunk_bytes(const Machine& machine, double size_bytes) {
  constexpr double largest_bytes = 524288;
  struct Rule {
    double chunks_per_level;
    double not_below_bytes;
  };
  constexpr Rule rules[] = {{8, 131072}, {4, 65536}, {1, 32768}};
  double chunk_bytes = largest_bytes;
  for (const Rule& rule : rules) {
    while (size_bytes / (trees * chunk_bytes) < rule.chunks_per_level * depth(machine) &&
           chunk_bytes > rule.not_below_bytes) {
      chunk_bytes /= 2;
    }
  }
  return std::min(chunk_bytes, size_bytes / trees);
}

TreeChunks tree_chunks(const Machine& machine, double size_bytes) {
  if (!(size_bytes > 0)) return {};
  const int count = static_cast<int>(std::ceil(size_bytes / trees / tree_chunk_bytes(machine, size_bytes)));
  return {count, size_bytes / trees / count};
}

double tree_all_reduce_s(const Machine& machine, double size_bytes) {
  require_rates(machine);
  if (machine.ranks <= 1 || !(size_bytes > 0)) return 0;
  const int hops = ranks_of_full_node(machine) - 1;
  const int height = tree_levels(machine.nodes());
  const double inside_s_per_byte = hops > 0 ? 1 / machine.intra_Bps : 0;
  const double net_s_per_byte = tree_s_per_byte_across(machine);
  const double chunk_bytes = tree_chunk_bytes(machine, size_bytes);
  const double latency_s = 2 * (hops * machine.intra_latency_s + height * machine.net_latency_s);
  const double first_s = chunk_bytes * (4 * hops * inside_s_per_byte + 2 * height * net_s_per_byte);
  const double slowest_s_per_byte = std::max(share(hops + 1) * inside_s_per_byte, net_s_per_byte);
  return latency_s + first_s + (size_bytes - trees * chunk_bytes) * slowest_s_per_byte;
}

bool uplinks_slow_trees(const Machine& machine) {
  return has_leaves(machine) && tree_s_per_byte_across(machine) > share(machine.nodes()) / machine.nic_Bps;
}

Schedule tree_schedule(const Machine& machine, double size_bytes) {
  require_rates(machine);
  Schedule schedule;
  if (machine.ranks <= 1 || !(size_bytes > 0)) return schedule;
  const auto [chunks, chunk_bytes] = tree_chunks(machine, size_bytes);
  for (int tree = 0; tree < trees; ++tree) {
    const std::vector<Relatives> relatives = relatives_of(machine, tree);
    for (int rank = 0; rank < machine.ranks; ++rank) {
      const Relatives& own = relatives[static_cast<std::size_t>(rank)];
      const Step collected = take_from_children(own, tree);
      const Step spread = give_to_children(own, tree, chunk_bytes);
      if (own.parent < 0) {
        schedule.programs.push_back(repeated(rank, {collected, spread}, chunks));
        continue;
      }
      const Step up{{{own.parent, lane_up(tree), chunk_bytes}}, {}};
      const Step down{{}, {{own.parent, lane_down(tree)}}};
      schedule.programs.push_back(repeated(rank, {collected, up}, chunks));
      schedule.programs.push_back(repeated(rank, {down, spread}, chunks));
    }
  }
  return schedule;
}

double nic_bytes_of_trees(const Machine& machine, double wire_bytes) {
  return (machine.nodes() == 2 ? 1 : 2) * wire_bytes;
}

// A double tree in which SimGrid runs one node of each height.

namespace {

enum class Role { inside, leaf };

/// Builds the schedule of classes, and numbers its classes and links.
class ClassBuilder {
public:
  ClassBuilder(const Machine& machine, const TreeChunks& chunks)
      : machine_(machine), chunks_(chunks), height_(tree_levels(machine.nodes())), ranks_(ranks_of_full_node(machine)) {
    built_.classes = 2 * height_ * ranks_;
    for (int height = 1; height <= height_; ++height) add_links();
  }

  ClassSchedule build() {
    for (int height = 1; height <= height_; ++height) {
      add_chain(Role::inside, height);
      add_chain(Role::leaf, height);
      add_inside(height);
      add_leaf(height);
    }
    return std::move(built_);
  }

private:
  /// The classes below a class: those whose messages it waits for, and those to which it sends without waiting.
  struct Below {
    std::vector<int> awaited;
    std::vector<int> unawaited;
  };

  int class_of(Role role, int height, int rank = 0) const {
    return ((role == Role::inside ? 0 : height_) + height - 1) * ranks_ + rank;
  }

  // Number of links of a node: its NIC, out and in; then the ports of its ranks, out and in.
  int links_of_node() const { return 2 + 2 * ranks_; }
  int nic_out(int height) const { return (height - 1) * links_of_node(); }
  int nic_in(int height) const { return nic_out(height) + 1; }
  int port_out(int height, int rank) const { return nic_out(height) + 2 + 2 * rank; }
  int port_in(int height, int rank) const { return port_out(height, rank) + 1; }

  void add_links() {
    built_.links.push_back({"nic-out", machine_.nic_Bps});
    built_.links.push_back({"nic-in", machine_.nic_Bps});
    for (int rank = 0; rank < ranks_; ++rank) {
      built_.links.push_back({"port-out", machine_.intra_Bps});
      built_.links.push_back({"port-in", machine_.intra_Bps});
    }
  }

  void add_program(int of_class, const std::vector<Step>& steps) {
    built_.schedule.programs.push_back(repeated(of_class, steps, chunks_.count));
  }

  /// Adds the programs of a rank in its tree; the root has no `parent`.
  void add_programs(int own, std::optional<int> parent, const Below& below) {
    Step collected;
    for (const int child : below.awaited) collected.receives.push_back({child, lane_up(0)});
    Step spread;
    for (const int child : below.awaited) spread.sends.push_back({child, lane_down(0), chunks_.size_bytes});
    for (const int child : below.unawaited) spread.sends.push_back({child, lane_down(0), chunks_.size_bytes, false});
    if (!parent) return add_program(own, {collected, spread});
    add_program(own, {collected, {{{*parent, lane_up(0), chunks_.size_bytes}}, {}}});
    add_program(own, {{{}, {{*parent, lane_down(0)}}}, spread});
    for (const int child : below.unawaited) add_program(own, {{{}, {{child, lane_up(0)}}}});
  }

  void add_both_ways(int child, int parent, const std::vector<MemberCrossing>& upwards,
                     const std::vector<MemberCrossing>& downwards, double latency_s) {
    built_.routes.push_back({child, parent, upwards, latency_s});
    built_.routes.push_back({parent, child, downwards, latency_s});
  }

  /// Adds the ranks of a node after the first. Each passes its sum on to the rank before it.
  void add_chain(Role role, int height) {
    for (int rank = 1; rank < ranks_; ++rank) {
      const int own = class_of(role, height, rank);
      add_both_ways(own, own - 1, {{port_out(height, rank)}, {port_in(height, rank - 1)}},
                    {{port_out(height, rank - 1)}, {port_in(height, rank)}}, machine_.intra_latency_s);
      add_programs(own, own - 1, chain_below(own, rank));
    }
  }

  Below chain_below(int own, int rank) const { return rank + 1 < ranks_ ? Below{{own + 1}, {}} : Below{}; }

  /// Adds the first rank of a node in the tree in which it is an inner node.
  void add_inside(int height) {
    const int own = class_of(Role::inside, height);
    Below below = chain_below(own, 0);
    if (height == 1) {
      below.awaited.push_back(class_of(Role::leaf, 1));
      below.awaited.push_back(class_of(Role::leaf, 2));
      for (int other = 3; other <= height_; ++other) below.unawaited.push_back(class_of(Role::leaf, other));
    } else {
      const int child = class_of(Role::inside, height - 1);
      const int alike = height == height_ ? 1 : 2;
      below.awaited.push_back(child);
      add_both_ways(child, own, {{nic_out(height - 1)}, {nic_in(height), alike}},
                    {{nic_out(height), alike}, {nic_in(height - 1)}}, machine_.net_latency_s);
    }
    const bool is_root = height == height_;
    add_programs(own, is_root ? std::nullopt : std::optional(class_of(Role::inside, height + 1)), below);
  }

  /// Adds the first rank of a node in the tree in which it is a leaf, below a node of height 1.
  void add_leaf(int height) {
    const int own = class_of(Role::leaf, height);
    const int parent = class_of(Role::inside, 1);
    const bool is_awaited = height <= 2;
    std::vector<MemberCrossing> upwards{{nic_out(height)}};
    std::vector<MemberCrossing> downwards{{nic_in(height)}};
    if (is_awaited) {
      upwards.push_back({nic_in(1)});
      downwards.push_back({nic_out(1)});
    }
    add_both_ways(own, parent, upwards, downwards, machine_.net_latency_s);
    add_programs(own, parent, chain_below(own, 0));
  }

  const Machine& machine_;
  TreeChunks chunks_;
  int height_;
  int ranks_; ///< number of ranks of a node
  ClassSchedule built_;
};

} // namespace

std::optional<std::string> why_no_tree_classes(const Machine& machine) {
  constexpr int fewest_nodes = 4;
  if (machine.nodes() < fewest_nodes) return "fewer than four nodes have no heights to tell apart";
  if (has_slow_node(machine)) return "a slow node of a double tree is not like the others of its height";
  if (uplinks_slow_trees(machine)) return "nodes of one height of a double tree are on unlike leaves";
  return std::nullopt;
}

ClassSchedule tree_class_schedule(const Machine& machine, double size_bytes, int most_chunks) {
  require_rates(machine);
  TreeChunks chunks = tree_chunks(machine, size_bytes);
  const int all = chunks.count;
  chunks.count = std::min(all, most_chunks);
  ClassSchedule built = ClassBuilder(machine, chunks).build();
  built.chunks = all;
  return built;
}

namespace {

double tree_messages(const Machine& machine, double size_bytes, int operations) {
  const double ranks = machine.ranks;
  return operations * 4 * (ranks - 1) * tree_chunks(machine, size_bytes / operations).count;
}

} // namespace

const CollectiveAlgorithm tree_all_reduce{
    .time_s = tree_all_reduce_s,
    .follows_ranks = false,
    .is_exact = [](const Machine&) { return false; },
    .between_nodes =
        {
            .pattern = TrafficPattern::double_tree,
            .nic_bytes = nic_bytes_of_trees,
            .rounds = [](const Machine& machine,
                         double wire_bytes) { return std::max(1, tree_chunks(machine, wire_bytes).count); },
            .passes_every_gpu = false,
        },
    .why_no_symmetry = [](const Machine&) -> std::optional<std::string> {
      return "every node of a double tree has another height in each of the two";
    },
    .period = nullptr,
    .class_schedule = tree_class_schedule,
    .why_no_classes = why_no_tree_classes,
    .schedule = tree_schedule,
    .messages = tree_messages,
    .programs_per_rank = 4, // up and down in each of the two trees
};

} // namespace ddlsim
