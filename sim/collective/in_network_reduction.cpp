#include "sim/collective/in_network_reduction.hpp"

#include "sim/collective/fabric_load.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ddlsim {
namespace {

/// Seconds that the busiest rank spends inside its node for each byte of the vector. A short last node has fewer heads,
/// and with NVLS each of them has a larger share.
double inside_s_per_byte(const Machine& machine, SharesInside shares) {
  const double share =
      std::max(shares(ranks_of_full_node(machine)).all(), shares(ranks_of_node(machine, machine.nodes() - 1)).all());
  return share > 0 ? share / machine.intra_Bps : 0;
}

double net_s_per_byte(const Machine& machine) {
  if (machine.nodes() == 1) return 0;
  const double uplink_Bps = has_leaves(machine) ? machine.uplink_Bps : machine.nic_Bps;
  return 1 / std::min(machine.nic_Bps, uplink_Bps);
}

int chunks_of(const Machine& machine, double size_bytes) {
  return std::max(1, static_cast<int>(std::ceil(size_bytes / in_network_chunk_bytes(machine, size_bytes))));
}

/// The messages of one all-reduce, by rank.
class InNetworkMessages {
public:
  InNetworkMessages(const Machine& machine, double size_bytes, SharesInside shares)
      : machine_(machine), shares_(shares), next_(next_nodes(machine)), before_(next_.size()),
        chunks_(chunks_of(machine, size_bytes)), chunk_bytes_(in_network_chunk_bytes(machine, size_bytes)),
        last_share_(size_bytes / chunk_bytes_ - (chunks_ - 1)) {
    for (std::size_t node = 0; node < next_.size(); ++node) before_[at(next_[node])] = static_cast<int>(node);
  }

  void add_programs(Schedule& schedule, int rank) const {
    const InsideShares shares = shares_(ranks_of_node(machine_, machine_.node_of(rank)));
    const bool inside = shares.all() > 0;
    const bool beside = shares.beside > 0;
    const Step at_head = inside ? Step{{}, {{neighbour(rank, -1), to_heads_lane}}} : Step{};
    const Step spread = inside ? Step{{to_next(rank, spread_lane, shares.back)}, {}} : Step{};
    const Step done = inside ? Step{{}, {{neighbour(rank, -1), spread_lane}}} : Step{};
    Step out;
    Step in; // messages into the node; the sum that a head spreads includes the part of its own node
    if (machine_.nodes() > 1) add_shares(rank, out, in);
    Step to_heads = inside ? Step{{to_next(rank, to_heads_lane, shares.out)}, {}} : Step{};
    if (beside) to_heads.sends.push_back(to_next(rank, known_lane, shares.beside));
    if (beside) in.receives.push_back({neighbour(rank, -1), known_lane});
    add(schedule, rank, {to_heads});
    add(schedule, rank, {at_head, out});
    add(schedule, rank, {in, spread});
    add(schedule, rank, {done});
  }

private:
  static constexpr int to_heads_lane = 0;
  static constexpr int known_lane = 1; ///< lane of the bytes that heads need before the sums come in
  static constexpr int across_lane = 2;
  static constexpr int spread_lane = 3;

  int head_of(int node, int share) const {
    return node * machine_.ranks_per_node + share % ranks_of_node(machine_, node);
  }

  int neighbour(int rank, int distance) const {
    const int node = machine_.node_of(rank);
    const int ranks = ranks_of_node(machine_, node);
    const int first = node * machine_.ranks_per_node;
    return first + (rank - first + distance + ranks) % ranks;
  }

  Send to_next(int rank, int lane, double share) const { return {neighbour(rank, 1), lane, chunk_bytes_ * share}; }

  /// Adds the messages between nodes for the shares of which this rank is the head.
  void add_shares(int rank, Step& out, Step& in) const {
    const int node = machine_.node_of(rank);
    const int heads = ranks_of_full_node(machine_);
    for (int share = 0; share < heads; ++share) {
      if (head_of(node, share) != rank) continue;
      out.sends.push_back({head_of(next_[at(node)], share), across_lane, chunk_bytes_ / heads});
      in.receives.push_back({head_of(before_[at(node)], share), across_lane});
    }
  }

  /// Adds a program that repeats these steps for every chunk. Steps without messages are left out.
  void add(Schedule& schedule, int rank, const std::vector<Step>& steps) const {
    Program program{rank, {}};
    for (int chunk = 0; chunk < chunks_; ++chunk)
      for (const Step& step : steps)
        if (!step.sends.empty() || !step.receives.empty()) {
          program.steps.push_back(step);
          if (chunk + 1 < chunks_) continue;
          for (Send& send : program.steps.back().sends) send.size_bytes *= last_share_;
        }
    if (!program.steps.empty()) schedule.programs.push_back(std::move(program));
  }

  const Machine& machine_;
  SharesInside shares_;
  std::vector<int> next_;
  std::vector<int> before_;
  int chunks_;
  double chunk_bytes_;
  double last_share_; ///< bytes of the last chunk divided by those of any other
};

} // namespace

double in_network_chunk_bytes(const Machine& machine, double size_bytes) {
  constexpr double head_bytes = 131072;
  return std::min(ranks_of_full_node(machine) * head_bytes, size_bytes);
}

std::vector<int> next_nodes(const Machine& machine) {
  const auto order = nodes_in_order(machine.fabric ? machine.fabric->places : std::vector<int>{}, machine.nodes());
  std::vector<int> next(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) next[at(order[i])] = order[(i + 1) % order.size()];
  return next;
}

double in_network_reduction_s(const Machine& machine, double size_bytes, SharesInside shares) {
  require_rates(machine);
  if (machine.ranks <= 1 || !(size_bytes > 0)) return 0;
  const double inside = inside_s_per_byte(machine, shares);
  const double net = net_s_per_byte(machine);
  const double chunk_bytes = in_network_chunk_bytes(machine, size_bytes);
  const double latency_s =
      (inside > 0 ? 2 * machine.intra_latency_s : 0) + (machine.nodes() > 1 ? machine.net_latency_s : 0);
  return latency_s + chunk_bytes * (inside + net) + (size_bytes - chunk_bytes) * std::max(inside, net);
}

Schedule in_network_schedule(const Machine& machine, double size_bytes, SharesInside shares) {
  require_rates(machine);
  if (machine.ranks <= 1 || !(size_bytes > 0)) return {};
  Schedule schedule;
  const InNetworkMessages messages(machine, size_bytes, shares);
  for (int rank = 0; rank < machine.ranks; ++rank) messages.add_programs(schedule, rank);
  return schedule;
}

double in_network_messages(const Machine& machine, double size_bytes, int operations, int of_rank_inside) {
  const double of_chunk = of_rank_inside + (machine.nodes() == 1 ? 0 : 1);
  return operations * of_chunk * machine.ranks * chunks_of(machine, size_bytes / operations);
}

bool has_one_rank_a_node(const Machine& machine) {
  return ranks_of_full_node(machine) == 1;
}

std::optional<std::string> why_chunks_have_no_symmetry(const Machine&) {
  return "chunks follow each other through nodes and switches, and no step of all ranks begins together";
}

double nic_bytes_of_vector(const Machine&, double wire_bytes) {
  return wire_bytes;
}

} // namespace ddlsim
