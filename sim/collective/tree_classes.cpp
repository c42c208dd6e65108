
#include "sim/collective/tree.hpp"
#include "sim/network/machine.hpp"

#include <algorithm>
#include <utility>

namespace ddlsim {
namespace {

constexpr int up = 0;
constexpr int down = 1;

enum class Role { inside, leaf };

/// What is built, and the numbers of its classes and links.
class Builder {
public:
  Builder(const Machine& machine, const TreeChunks& chunks)
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
  /// The classes that a class hears from below, and gives to below without waiting.
  struct Below {
    std::vector<int> awaited;
    std::vector<int> unawaited;
  };

  int class_of(Role role, int height, int rank = 0) const {
    return ((role == Role::inside ? 0 : height_) + height - 1) * ranks_ + rank;
  }

  // Links of a node: its NIC, out and in; then the ports of its ranks, out and in.
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

  /// The same steps for every chunk; steps without messages are left out.
  void add_program(int of_class, const std::vector<Step>& steps) {
    Program program{of_class, {}};
    for (int chunk = 0; chunk < chunks_.count; ++chunk)
      for (const Step& step : steps)
        if (!step.sends.empty() || !step.receives.empty()) program.steps.push_back(step);
    built_.schedule.programs.push_back(program);
  }

  /// What a rank does in its tree; the root has no `parent`.
  void add_programs(int own, std::optional<int> parent, const Below& below) {
    Step collected;
    for (const int child : below.awaited) collected.receives.push_back({child, up});
    Step spread;
    for (const int child : below.awaited) spread.sends.push_back({child, down, chunks_.size_bytes});
    for (const int child : below.unawaited) spread.sends.push_back({child, down, chunks_.size_bytes, false});
    if (!parent) return add_program(own, {collected, spread});
    add_program(own, {collected, {{{*parent, up, chunks_.size_bytes}}, {}}});
    add_program(own, {{{}, {{*parent, down}}}, spread});
    for (const int child : below.unawaited) add_program(own, {{{}, {{child, up}}}});
  }

  void add_both_ways(int child, int parent, const std::vector<MemberCrossing>& upwards,
                     const std::vector<MemberCrossing>& downwards, double latency_s) {
    built_.routes.push_back({child, parent, upwards, latency_s});
    built_.routes.push_back({parent, child, downwards, latency_s});
  }

  /// Ranks behind the first: each hands on to the one before.
  void add_chain(Role role, int height) {
    for (int rank = 1; rank < ranks_; ++rank) {
      const int own = class_of(role, height, rank);
      add_both_ways(own, own - 1, {{port_out(height, rank)}, {port_in(height, rank - 1)}},
                    {{port_out(height, rank - 1)}, {port_in(height, rank)}}, machine_.intra_latency_s);
      add_programs(own, own - 1, chain_below(own, rank));
    }
  }

  Below chain_below(int own, int rank) const { return rank + 1 < ranks_ ? Below{{own + 1}, {}} : Below{}; }

  /// First rank of the node inside its tree.
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

  /// First rank of the node as a leaf of the other tree, below a node of height 1 there.
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
  int ranks_; ///< of a node
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
  ClassSchedule built = Builder(machine, chunks).build();
  built.chunks = all;
  return built;
}

} // namespace ddlsim
