#include "sim/simgrid/fidelity_selection.hpp"

#include "sim/collective/links_in_use.hpp"
#include "sim/collective/reduced.hpp"
#include "sim/collective/tree.hpp"
#include "sim/parameter_server/async_draws.hpp"
#include "sim/parameter_server/reduced_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace ddlsim {
namespace {

/// Beyond this many messages automatic does not run full: SimGrid takes 0.3 to 0.5 million a second.
constexpr double affordable_messages = 1e5;

/// Most unlike connections that automatic runs reduced: about a second. Beyond, on 141 nodes and more, the closed form
/// is within 2 % of the reduced run, and closer the more nodes there are.
constexpr std::size_t affordable_connections = 20000;

/// The same for each of hundreds of samples: 3 ms.
constexpr std::size_t screening_connections = 100;

/// Beyond this many messages full is refused: a minute or more.
constexpr double most_messages = 2e7;

/// Beyond this many actors full is refused: each has a stack of its own, which takes two of the 65,530 areas of memory
/// that Linux gives a process (vm.max_map_count).
constexpr double most_actors = 30000;

bool has_slow_node(const Machine& machine) {
  return machine.nodes() > 1 && machine.slow_nic_factor != 1;
}

/// Where full = closed form to 1e-6 (tests/simgrid/full_ring_test.cpp, full_all_reduce_test.cpp).
bool closed_form_is_exact(const Machine& machine, Algorithm algorithm) {
  if (machine.ranks <= 1) return true;
  const bool full_nodes = machine.ranks % ranks_of_full_node(machine) == 0;
  switch (algorithm) {
  case Algorithm::ring:
    return true;
  case Algorithm::hierarchical_ring:
    return full_nodes || !has_slow_node(machine);
  case Algorithm::halving_doubling:
    return !has_slow_node(machine) && full_nodes && !has_leaves(machine) &&
           std::has_single_bit(static_cast<unsigned>(ranks_of_full_node(machine)));
  case Algorithm::tree:
    return false;
  }
  return false;
}

/// Full over closed form, less 1: the range that tests/simgrid/fidelity_selection_test.cpp finds on 2 to 64 ranks, 1 to
/// 8 a node, on a switch and in leaves.
struct Gap {
  double faster = 0;
  double slower = 0;
};
constexpr Gap hierarchical_ring_gap{-0.05, 0.0}; ///< a few latencies
constexpr Gap halving_doubling_gap{-0.24, 0.10};
constexpr Gap tree_gap_few_chunks{-0.32, 0.005}; ///< up to 2 MB an operation, and any size on 3 nodes
constexpr Gap tree_gap_some_chunks{-0.14, 0.005};
constexpr Gap tree_gap_many_chunks{-0.07, 0.005}; ///< from 20 MB
constexpr double few_chunks_bytes = 2e6;
constexpr double many_chunks_bytes = 2e7;

/// With a slow node some ranks wait; the formula, in which every NIC is as slow, has all of them wait.
constexpr double slow_node_slower = 0.02;

Gap gap_of(const Machine& machine, Algorithm algorithm, double operation_bytes) {
  if (algorithm == Algorithm::hierarchical_ring) return hierarchical_ring_gap;
  if (algorithm == Algorithm::halving_doubling) return halving_doubling_gap;
  if (operation_bytes < few_chunks_bytes || machine.nodes() == 3) return tree_gap_few_chunks;
  return operation_bytes < many_chunks_bytes ? tree_gap_some_chunks : tree_gap_many_chunks;
}

/// Full over closed form, less 1, for unequal shards on colocated servers, one a node or on every second one:
/// ResNet-50, Inception v3, VGG-16 and BERT by every rule, backward of 0 to 0.3 s, on a switch and in leaves of 6. The
/// worst is ResNet-50 by bytes on 8 nodes; tests/simgrid/reduced_server_test.cpp holds a smaller list.
constexpr double exchange_gap_faster = -0.18;
constexpr double exchange_gap_faster_beyond_affordable = -0.03; ///< from 128 nodes, where it is 2.6 %
constexpr double exchange_gap_slower = 0.003;

/// Where full = closed form to 1e-6: tests/simgrid/full_server_test.cpp.
bool exchange_closed_form_is_exact(const Machine& machine, const ServerMachine& servers,
                                   const ServerExchange& exchange) {
  const bool slow = (machine.nodes() > 1 && machine.slow_nic_factor != 1) || !exchange.slow_ready_s.empty();
  const bool one_switch = machine.nodes_per_leaf == 0 ||
                          machine.nodes() + (servers.dedicated ? servers.servers : 0) <= machine.nodes_per_leaf;
  return !slow && one_switch && (servers.dedicated || servers.servers == 1);
}

/// Beyond this many messages of asynchronous servers full is refused: a minute.
constexpr double most_async_messages = 2e6;

/// Rounds that a full run of them takes, about: tests/simgrid/full_async_test.cpp.
constexpr double async_rounds = 10;

/// Full over reduced, less 1, of the exposed communication, by tests/simgrid/full_async_test.cpp: where the busiest
/// server stands for all, and where servers and workers share NICs.
constexpr Gap async_station_gap{-0.03, 0.03};
constexpr Gap async_shared_gap{-0.20, 0.17};

/// Full over closed form, less 1: the closed form takes the workers' phases as independent.
constexpr Gap async_closed_gap{-0.20, 1.0};

void refuse_hours(const std::string& what, double messages, double actors) {
  if (messages <= most_messages && actors <= most_actors) return;
  throw TooManyMessages(
      fmt::format("a full run of {} has {:.2g} messages of {:.2g} actors, and {:.0g} of {:.0g} are the "
                  "most; leave --fidelity away",
                  what, messages, actors, most_messages, most_actors));
}

/// The same machine without what slows only some ranks: one switch, and no slow node.
Machine without_hindrances(Machine machine) {
  machine.slow_nic_factor = 1;
  machine.nodes_per_leaf = 0;
  return machine;
}

std::string why_approximate(Algorithm algorithm) {
  switch (algorithm) {
  case Algorithm::tree:
    return "chunks share NICs as they meet";
  case Algorithm::hierarchical_ring:
    return "a slow node and a short last one delay different parts";
  default:
    return "pairs of ranks run ahead of others";
  }
}

/// Where only some ranks are slowed, the formula, in which all are, is an upper bound, and the formula of
/// without_hindrances() a lower one.
Choice approximate(const Machine& machine, Algorithm algorithm, double operation_bytes) {
  Gap gap = gap_of(machine, algorithm, operation_bytes);
  const bool rings = algorithm == Algorithm::hierarchical_ring;
  if (!rings && (has_slow_node(machine) || has_leaves(machine))) {
    const double free_s = all_reduce_s(without_hindrances(machine), operation_bytes, algorithm);
    gap.faster = (1 + gap.faster) * free_s / all_reduce_s(machine, operation_bytes, algorithm) - 1;
    gap.slower = std::max(gap.slower, slow_node_slower);
  }
  return {Fidelity::closed_form, gap.faster, gap.slower, why_approximate(algorithm)};
}

/// The formula takes the slow node's NIC to be as fast as the others.
Choice approximate_exchange(const Machine& machine, bool is_affordable) {
  const double faster = is_affordable ? exchange_gap_faster : exchange_gap_faster_beyond_affordable;
  if (machine.nodes() == 1 || machine.slow_nic_factor >= 1)
    return {Fidelity::closed_form, faster, exchange_gap_slower, "copies of a shard part on their way"};
  return {Fidelity::closed_form, faster, (1 + exchange_gap_slower) / machine.slow_nic_factor - 1,
          "copies of a shard part on their way, and the formula knows no slow node"};
}

} // namespace

double messages_of_all_reduce(const Machine& machine, Algorithm algorithm, double size_bytes, int operations) {
  const double ranks = machine.ranks;
  if (machine.ranks <= 1) return 0;
  switch (algorithm) {
  case Algorithm::ring:
    return 2 * (ranks - 1) * ranks * operations;
  case Algorithm::hierarchical_ring:
    return operations * (2.0 * (ranks_of_full_node(machine) - 1) * ranks +
                         2.0 * (machine.nodes() - 1) * ranks_of_full_node(machine) * machine.nodes());
  case Algorithm::halving_doubling:
    return operations * 2 * ranks * std::floor(std::log2(ranks));
  case Algorithm::tree: {
    const double an_operation = size_bytes / operations;
    const double chunks = std::ceil(an_operation / 2 / tree_chunk_bytes(machine, an_operation));
    return operations * 4 * (ranks - 1) * chunks;
  }
  }
  return 0;
}

Choice choose_all_reduce(const Machine& machine, Algorithm algorithm, double size_bytes, int operations,
                         Fidelity requested) {
  const double messages = messages_of_all_reduce(machine, algorithm, size_bytes, operations);
  if (requested == Fidelity::reduced) {
    if (const auto why = why_not_reduced(machine, algorithm))
      throw CannotReduce(fmt::format("{} on {} ranks cannot be reduced: {}", to_text(algorithm), machine.ranks, *why));
    return {Fidelity::reduced};
  }
  if (requested == Fidelity::full) {
    const double actors = algorithm == Algorithm::tree ? 4.0 * machine.ranks : machine.ranks;
    refuse_hours(fmt::format("{} on {} ranks", to_text(algorithm), machine.ranks), messages, actors);
    return {Fidelity::full};
  }
  if (closed_form_is_exact(machine, algorithm)) return {Fidelity::closed_form};
  if (requested == Fidelity::automatic && messages <= affordable_messages) return {Fidelity::full};
  return approximate(machine, algorithm, size_bytes / operations);
}

Choice choose_server_exchange(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                              Fidelity requested) {
  const double connections = static_cast<double>(machine.nodes()) * exchange.messages_per_node;
  const double messages = 2 * connections * static_cast<double>(exchange.shards.size());
  if (requested == Fidelity::reduced) {
    if (const auto why = why_server_exchange_not_reduced(machine, servers, exchange))
      throw CannotReduce(fmt::format("{} servers cannot be reduced: {}", servers.servers, *why));
    return {Fidelity::reduced};
  }
  if (requested == Fidelity::full) {
    refuse_hours(fmt::format("{} workers and {} servers", connections, servers.servers), messages,
                 2 * connections * servers.servers);
    return {Fidelity::full};
  }
  if (exchange_closed_form_is_exact(machine, servers, exchange)) return {Fidelity::closed_form};
  const std::size_t unlike = count_unlike_connections(machine, servers, exchange);
  const bool is_affordable = unlike <= affordable_connections;
  const bool takes_reduced = requested == Fidelity::automatic
                                 ? is_affordable
                                 : requested == Fidelity::screening && unlike <= screening_connections;
  if (takes_reduced) return {Fidelity::reduced};
  return approximate_exchange(machine, is_affordable);
}

Choice choose_async_servers(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async,
                            Fidelity requested) {
  const double workers = static_cast<double>(machine.nodes()) * async.exchange.messages_per_node;
  const double messages =
      async_rounds * round_iterations * workers * (servers.servers + static_cast<double>(async.exchange.shards.size()));
  if (requested == Fidelity::full) {
    if (messages > most_async_messages)
      throw TooManyMessages(fmt::format("a full run of {} asynchronous workers and {} servers has {:.2g} messages, and "
                                        "{:.0g} are the most; leave --fidelity away",
                                        workers, servers.servers, messages, most_async_messages));
    return {Fidelity::full};
  }
  if (requested == Fidelity::closed_form || requested == Fidelity::screening)
    return {Fidelity::closed_form, async_closed_gap.faster, async_closed_gap.slower,
            "workers' phases are taken as independent"};
  if (servers.dedicated || servers.servers == 1)
    return {Fidelity::reduced, async_station_gap.faster, async_station_gap.slower, "the busiest server stands for all"};
  return {Fidelity::reduced, async_shared_gap.faster, async_shared_gap.slower,
          "pushes and pulls meet on a NIC in the mean only"};
}

} // namespace ddlsim
