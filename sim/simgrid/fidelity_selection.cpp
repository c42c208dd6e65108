#include "sim/simgrid/fidelity_selection.hpp"

#include "sim/collective/fabric_load.hpp"
#include "sim/network/machine.hpp"
#include "sim/parameter_server/async_draws.hpp"
#include "sim/parameter_server/reduced_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ddlsim {
namespace {

/// Beyond this many messages of an algorithm in an iteration automatic does not run full: SimGrid takes 0.3 to 0.5
/// million a second.
constexpr double affordable_messages = 3e5;

/// Most unlike connections that automatic runs by symmetry: 1,024 take 0.2 to 2 s on SimGrid, the longer the more of
/// them are under way at once.
constexpr std::size_t affordable_classes = 2000;

/// Most that automatic runs reduced: about a second too. Beyond, on 141 nodes and more, the closed form is within 2 %
/// of the reduced run, and closer the more nodes there are.
constexpr std::size_t affordable_connections = 20000;

/// The same for each of hundreds of samples: 3 ms.
constexpr std::size_t screening_connections = 100;

/// Beyond this many messages full is refused: a minute or more.
constexpr double most_messages = 2e7;

/// Beyond this many actors nothing runs full: each has a stack of its own, which takes two of the 65,530 areas of
/// memory that Linux gives a process (vm.max_map_count).
constexpr double most_actors = 30000;

/// With a slow node some ranks wait; the formula, in which every NIC is as slow, has all of them wait.
constexpr double slow_node_slower = 0.02;

/// Full over closed form, less 1, for unequal shards on colocated servers, one a node or on every second one:
/// ResNet-50, Inception v3, VGG-16 and BERT by every rule, backward of 0 to 0.3 s, on a switch and in leaves of 6. The
/// worst is ResNet-50 by bytes on 8 nodes; tests/simgrid/reduced_server_test.cpp holds a smaller list.
constexpr double exchange_gap_faster = -0.18;
constexpr double exchange_gap_faster_beyond_affordable = -0.03; ///< from 128 nodes, where it is 2.6 %
constexpr double exchange_gap_slower = 0.003;

/// Where full = closed form to 1e-6: tests/simgrid/full_server_test.cpp.
bool exchange_closed_form_is_exact(const Machine& machine, const ServerMachine& servers,
                                   const ServerExchange& exchange) {
  const bool slow = has_slow_node(machine) || !exchange.slow_ready_s.empty();
  const bool one_switch = machine.nodes_per_leaf == 0 ||
                          machine.nodes() + (servers.dedicated ? servers.servers : 0) <= machine.nodes_per_leaf;
  return !slow && one_switch && (servers.dedicated || servers.servers == 1);
}

/// The same of asynchronous servers, which are made anew for every round.
constexpr double most_async_actors = 1000;

/// Beyond this many messages of asynchronous servers full is refused: a minute.
constexpr double most_async_messages = 2e6;

/// Beyond this much work in the fewest rounds automatic does not run them on SimGrid: about a second, in which by
/// symmetry ends. A message takes the longer the more workers have one under way.
constexpr double affordable_async_work = 3e5;

/// Full over by symmetry, less 1, of the exposed communication, by tests/simgrid/full_async_test.cpp: small pushes wait
/// for each other, and rounds are fewer.
constexpr Gap async_pushes_gap{-0.03, 0.03};

/// Full over reduced, less 1, of the exposed communication, by tests/simgrid/full_async_test.cpp: where the busiest
/// server stands for all, and where servers and workers share NICs.
constexpr Gap async_station_gap{-0.03, 0.03};
constexpr Gap async_shared_gap{-0.20, 0.17};

/// Full over closed form, less 1: the closed form takes the workers' phases as independent.
constexpr Gap async_closed_gap{-0.20, 1.0};

/// What a full run takes.
struct FullRun {
  double messages = 0;
  double actors = 0;
};

FullRun full_run_of(const Machine& machine, Algorithm algorithm, double size_bytes, int operations) {
  return {messages_of_all_reduce(machine, algorithm, size_bytes, operations),
          1.0 * all_reduce_algorithm(algorithm).programs_per_rank * machine.ranks};
}

FullRun full_run_of(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  const double connections = static_cast<double>(machine.nodes()) * exchange.messages_per_node;
  return {2 * connections * static_cast<double>(exchange.shards.size()), 2 * connections * servers.servers};
}

/// Whether automatic runs it in full, after `messages_before` of its kind.
bool is_affordable(const FullRun& run, double messages_before = 0) {
  return messages_before + run.messages <= affordable_messages && run.actors <= most_actors;
}

void refuse_hours(const std::string& what, const FullRun& run) {
  if (run.messages <= most_messages && run.actors <= most_actors) return;
  throw TooManyMessages(
      fmt::format("a full run of {} has {:.2g} messages of {:.2g} actors, and {:.0g} of {:.0g} are the "
                  "most; leave --fidelity away",
                  what, run.messages, run.actors, most_messages, most_actors));
}

/// The same machine without what slows only some ranks: one switch, and no slow node.
Machine without_hindrances(Machine machine) {
  machine.slow_nic_factor = 1;
  machine.nodes_per_leaf = 0;
  return machine;
}

/// Where only some ranks are slowed, the formula, in which all are, is an upper bound, and the formula of
/// without_hindrances() a lower one.
Choice approximate(const Machine& machine, Algorithm algorithm, double operation_bytes) {
  const auto& row = all_reduce_algorithm(algorithm);
  Gap gap = row.gap(machine, operation_bytes);
  if (!row.follows_ranks && (has_slow_node(machine) || has_leaves(machine))) {
    const double free_s = all_reduce_s(without_hindrances(machine), operation_bytes, algorithm);
    gap.faster = (1 + gap.faster) * free_s / all_reduce_s(machine, operation_bytes, algorithm) - 1;
    gap.slower = std::max(gap.slower, slow_node_slower);
  }
  return {Fidelity::closed_form, gap.faster, gap.slower, row.why_inexact};
}

/// The formula takes the slow node's NIC to be as fast as the others.
Choice approximate_exchange(const Machine& machine, bool is_reducible) {
  const double faster = is_reducible ? exchange_gap_faster : exchange_gap_faster_beyond_affordable;
  if (machine.nodes() == 1 || machine.slow_nic_factor >= 1)
    return {Fidelity::closed_form, faster, exchange_gap_slower, "copies of a shard part on their way"};
  return {Fidelity::closed_form, faster, (1 + exchange_gap_slower) / machine.slow_nic_factor - 1,
          "copies of a shard part on their way, and the formula knows no slow node"};
}

} // namespace

std::string to_text(Fidelity fidelity) {
  switch (fidelity) {
  case Fidelity::automatic:
    return "auto";
  case Fidelity::screening:
  case Fidelity::closed_form:
  case Fidelity::reduced:
    return "screening";
  case Fidelity::by_symmetry:
    return "by-symmetry";
  case Fidelity::full:
    return "full";
  }
  throw std::logic_error("a fidelity without a name");
}

double messages_of_all_reduce(const Machine& machine, Algorithm algorithm, double size_bytes, int operations) {
  return machine.ranks > 1 ? all_reduce_algorithm(algorithm).messages(machine, size_bytes, operations) : 0;
}

namespace {

void widen(Choice& choice, const Gap& gap) {
  choice.faster = (1 + choice.faster) * (1 + gap.faster) - 1;
  choice.slower = (1 + choice.slower) * (1 + gap.slower) - 1;
}

constexpr const char* shared_links = "messages share links between switches, and every NIC counts as slow as the "
                                     "busiest of them makes one";

/// All-reduces that are to be timed.
struct AskedSums {
  Algorithm algorithm = Algorithm::ring;
  double operation_bytes = 0;
  Fidelity requested = Fidelity::automatic;
  FullRun full;
  bool may_run_in_full = false; ///< automatic, and few enough messages
};

Choice choose_on_one_switch(const Machine& machine, const AskedSums& sums) {
  const auto& row = all_reduce_algorithm(sums.algorithm);
  const auto name = to_text(sums.algorithm);
  if (sums.requested == Fidelity::full) {
    refuse_hours(fmt::format("{} on {} ranks", name, machine.ranks), sums.full);
    return {Fidelity::full};
  }
  const bool on_simgrid = sums.requested == Fidelity::automatic || sums.requested == Fidelity::by_symmetry;
  const auto why = on_simgrid ? why_no_symmetry(machine, sums.algorithm) : std::nullopt;
  if (on_simgrid && !why) return {Fidelity::by_symmetry};
  if (sums.may_run_in_full) return {Fidelity::full};
  const auto why_not_one_each = on_simgrid ? why_no_classes(machine, sums.algorithm) : why;
  if (on_simgrid && !why_not_one_each) {
    const Gap gap = row.class_gap(sums.operation_bytes);
    return {Fidelity::by_symmetry, gap.faster, gap.slower};
  }
  if (sums.requested == Fidelity::by_symmetry)
    throw NoSymmetry(
        fmt::format("{} on {} ranks cannot be run by symmetry: {}", name, machine.ranks, *why_not_one_each));
  auto choice = row.is_exact(machine) ? Choice{Fidelity::closed_form}
                                      : approximate(machine, sums.algorithm, sums.operation_bytes);
  if (on_simgrid)
    choice.why = fmt::format("{:.2g} messages of {:.2g} actors are too many to run each, and {}", sums.full.messages,
                             sums.full.actors, *why_not_one_each);
  return choice;
}

/// On a fabric whose links are followed one by one. Where none of them is busier than a NIC, a ring is as on one
/// switch.
Choice choose_on_fabric(const Machine& machine, const AskedSums& sums) {
  const Machine alike = on_one_switch(machine, sums.algorithm);
  auto choice = choose_on_one_switch(alike, sums);
  const auto& sent = all_reduce_algorithm(sums.algorithm).between_nodes;
  const bool is_narrowed = alike.nic_Bps < machine.nic_Bps;
  const bool is_ring = sent.load == &FabricLoad::ring;
  if (choice.fidelity == Fidelity::full || (is_ring && !is_narrowed)) return choice;
  if (sums.may_run_in_full) return {Fidelity::full};
  widen(choice, sent.fabric_gap(sums.operation_bytes));
  choice.why = choice.why.empty() ? shared_links : fmt::format("{}, and {}", choice.why, shared_links);
  return choice;
}

} // namespace

Choice choose_all_reduce(const Machine& machine, Algorithm algorithm, double size_bytes, int operations,
                         Fidelity requested, double messages_before) {
  if (machine.ranks <= 1) return {}; // nothing travels
  AskedSums sums{algorithm, size_bytes / operations, requested,
                 full_run_of(machine, algorithm, size_bytes, operations)};
  sums.may_run_in_full = requested == Fidelity::automatic && is_affordable(sums.full, messages_before);
  return machine.fabric ? choose_on_fabric(machine, sums) : choose_on_one_switch(machine, sums);
}

namespace {

/// On a fabric whose links are followed one by one.
Choice choose_exchange_on_fabric(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                                 Fidelity requested) {
  const Machine alike = on_one_switch_for_servers(machine);
  auto choice = choose_server_exchange(alike, servers, exchange, requested);
  const int hosts = servers.dedicated ? servers.servers : 0;
  const bool has_room = machine.fabric->places.size() >= at(machine.nodes()) + at(hosts);
  if (requested == Fidelity::full && !has_room)
    throw TooManyMessages(
        fmt::format("the fabric has no place for {} hosts of servers beside the job's {} nodes; ask for "
                    "fewer, or leave --fidelity away",
                    hosts, machine.nodes()));
  if (requested == Fidelity::automatic && has_room && is_affordable(full_run_of(machine, servers, exchange)))
    return {Fidelity::full};
  if (choice.fidelity == Fidelity::full) return choice;
  widen(choice, fabric_gap_of_servers());
  choice.why = choice.why.empty() ? shared_links : fmt::format("{}, and {}", choice.why, shared_links);
  return choice;
}

} // namespace

Choice choose_server_exchange(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                              Fidelity requested) {
  if (machine.fabric) return choose_exchange_on_fabric(machine, servers, exchange, requested);
  if (requested == Fidelity::full) {
    const int workers = machine.nodes() * exchange.messages_per_node;
    refuse_hours(fmt::format("{} workers and {} servers", workers, servers.servers),
                 full_run_of(machine, servers, exchange));
    return {Fidelity::full};
  }
  const std::size_t unlike = count_unlike_connections(machine, servers, exchange);
  if (requested == Fidelity::by_symmetry || requested == Fidelity::reduced) {
    const auto most = requested == Fidelity::reduced ? affordable_connections : affordable_classes;
    if (const auto why = why_too_many_classes(machine, servers, exchange, most))
      throw NoSymmetry(fmt::format("{} servers cannot be run by symmetry: {}", servers.servers, *why));
    return {requested};
  }
  if (requested == Fidelity::automatic && unlike <= affordable_classes) return {Fidelity::by_symmetry};
  if (exchange_closed_form_is_exact(machine, servers, exchange)) return {Fidelity::closed_form};
  const bool is_reducible = unlike <= affordable_connections;
  const std::string why = fmt::format("{} connections between workers and servers differ", unlike);
  if (requested == Fidelity::automatic && is_reducible) return {Fidelity::reduced, 0, 0, why};
  if (requested == Fidelity::screening && unlike <= screening_connections) return {Fidelity::reduced};
  auto choice = approximate_exchange(machine, is_reducible);
  if (requested == Fidelity::automatic) choice.why = fmt::format("{}, and {}", why, choice.why);
  return choice;
}

Choice choose_paths(Fidelity requested) {
  if (requested == Fidelity::full) return {Fidelity::full};
  const bool on_simgrid = requested == Fidelity::automatic || requested == Fidelity::by_symmetry;
  return {on_simgrid ? Fidelity::by_symmetry : Fidelity::closed_form};
}

namespace {

/// Messages of all rounds.
double messages_of_async(const AsyncExchange& async, int workers) {
  return fewest_rounds(workers) * round_iterations * workers * messages_of_iteration(async.exchange);
}

/// Whether SimGrid runs the exchange in about a second.
bool is_affordable(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async) {
  constexpr double workers_a_message = 16; // that double the time of a message
  const int workers = machine.nodes() * async.exchange.messages_per_node;
  const auto hosts = at(machine.nodes() + (servers.dedicated ? servers.servers : 0));
  if (machine.fabric && machine.fabric->places.size() < hosts) return false;
  if (2.0 * workers * servers.servers > most_async_actors) return false;
  return messages_of_async(async, workers) * (1 + workers / workers_a_message) <= affordable_async_work;
}

} // namespace

Choice choose_async_servers(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async,
                            Fidelity requested) {
  const int workers = machine.nodes() * async.exchange.messages_per_node;
  const double messages = messages_of_async(async, workers);
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
  if (requested != Fidelity::reduced && is_affordable(machine, servers, with_fewer_pushes(async)))
    return {Fidelity::by_symmetry, async_pushes_gap.faster, async_pushes_gap.slower};
  if (servers.dedicated || servers.servers == 1)
    return {Fidelity::reduced, async_station_gap.faster, async_station_gap.slower, "the busiest server stands for all"};
  return {Fidelity::reduced, async_shared_gap.faster, async_shared_gap.slower,
          "a NIC is shared by the mean rates of pushes and pulls, not by each message"};
}

} // namespace ddlsim
