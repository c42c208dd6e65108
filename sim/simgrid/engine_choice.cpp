#include "sim/simgrid/engine_choice.hpp"

#include "sim/collective/fabric_load.hpp"
#include "sim/network/machine.hpp"
#include "sim/parameter_server/async_draws.hpp"
#include "sim/parameter_server/server_classes.hpp"
#include "sim/parameter_server/traffic.hpp"
#include "sim/simgrid/full.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace ddlsim {
namespace {

/// Number of messages of an algorithm in an iteration up to which the default runs every message. SimGrid runs 0.3 to
/// 0.5 million a second, and one result takes a few runs where tensors are fused.
constexpr double affordable_messages = 1e5;

/// Work up to which the default runs connections to servers on SimGrid; it takes about a second. Whenever a message
/// ends, SimGrid shares the links again among all messages under way, so a message counts as 1 + connections / 100.
/// Measured 2026-11-29 on a core of a cloud machine: 484 connections, 8,360 messages in 0.16 s.
constexpr double affordable_server_work = 3e5;
constexpr double connections_a_message = 100;

/// Number of classes of connections up to which messages are counted.
constexpr std::size_t most_classes = 2000;

/// Number of messages beyond which `full` is refused; they take a minute or more.
constexpr double most_messages = 2e7;

/// Number of actors beyond which nothing runs in full. Each actor has a stack of its own, which takes two of the 65,530
/// memory areas that Linux gives a process (vm.max_map_count).
constexpr double most_actors = 30000;

/// Number of messages of asynchronous servers beyond which `full` is refused; they take a minute.
constexpr double most_async_messages = 2e6;

/// Returns whether the formula equals a full run to 1e-6 (tests/simgrid/full_server_test.cpp).
bool exchange_formula_is_exact(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  const bool slow = has_slow_node(machine) || !exchange.slow_ready_s.empty();
  const bool one_switch = machine.nodes_per_leaf == 0 ||
                          machine.nodes() + (servers.dedicated ? servers.servers : 0) <= machine.nodes_per_leaf;
  return !slow && one_switch && (servers.dedicated || servers.servers == 1);
}

/// The size of a full run, in messages and actors.
struct FullRun {
  double messages = 0;
  double actors = 0;
};

FullRun full_run_of(const Machine& machine, const CollectiveKind& collective, double size_bytes, int operations) {
  return {messages_of_collective(machine, collective, size_bytes, operations),
          1.0 * collective_algorithm(collective).programs_per_rank * machine.ranks};
}

FullRun full_run_of(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  const double connections = static_cast<double>(machine.nodes()) * exchange.messages_per_node;
  return {2 * connections * static_cast<double>(exchange.shards.size()), 2 * connections * servers.servers};
}

/// Returns whether an iteration runs every message by default when it already has `messages_before` messages of this
/// kind.
bool is_affordable(const FullRun& run, double messages_before = 0) {
  return messages_before + run.messages <= affordable_messages && run.actors <= most_actors;
}

void refuse_too_many(const std::string& what, const FullRun& run) {
  if (run.messages <= most_messages && run.actors <= most_actors) return;
  throw TooManyMessages(
      fmt::format("a full run of {} has {:.2g} messages of {:.2g} actors, and {:.0g} of {:.0g} are the "
                  "most; leave --fidelity away",
                  what, run.messages, run.actors, most_messages, most_actors));
}

} // namespace

std::string to_text(Engine engine) {
  switch (engine) {
  case Engine::formula:
    return "formula";
  case Engine::classes:
    return "classes";
  case Engine::full:
    return "full";
  }
  throw std::logic_error("an engine without a name");
}

double messages_of_collective(const Machine& machine, const CollectiveKind& collective, double size_bytes,
                              int operations) {
  return machine.ranks > 1 ? collective_algorithm(collective).messages(machine, size_bytes, operations) : 0;
}

std::size_t count_connection_classes(const Machine& machine, const ServerMachine& servers,
                                     const ServerExchange& exchange) {
  require_usable(machine, servers, exchange);
  return count_connection_classes(*server_classes_of(machine, servers, exchange));
}

namespace {

constexpr const char* shared_links = "messages share links between switches, and every NIC counts as slow as the "
                                     "busiest of them makes one";

/// Adds to the reason of a choice that links between switches are timed as slower NICs.
Choice on_shared_links(Choice choice) {
  choice.is_exact = false;
  choice.why = choice.why.empty() ? shared_links : fmt::format("{}, and {}", choice.why, shared_links);
  return choice;
}

/// The collectives to be timed.
struct CollectiveRequest {
  CollectiveKind kind;
  Fidelity requested = Fidelity::by_default;
  FullRun full;
  bool may_run_in_full = false; ///< the default may run every message, because there are few enough
};

Choice choose_on_one_switch(const Machine& machine, const CollectiveRequest& request) {
  const auto& row = collective_algorithm(request.kind);
  if (request.requested == Fidelity::formula) return {Engine::formula, row.is_exact(machine)};
  if (request.requested == Fidelity::full) {
    refuse_too_many(fmt::format("{} on {} ranks", to_text(request.kind), machine.ranks), request.full);
    return {Engine::full};
  }
  if (!why_no_symmetry(machine, request.kind)) return {Engine::classes};
  if (request.may_run_in_full) return {Engine::full};
  const auto why_not_one_each = why_no_classes(machine, request.kind);
  if (!why_not_one_each) return {Engine::classes, false};
  return {Engine::formula, row.is_exact(machine),
          fmt::format("{:.2g} messages of {:.2g} actors are too many to run each, and {}", request.full.messages,
                      request.full.actors, *why_not_one_each)};
}

/// Chooses for a collective on a fabric whose links are simulated one by one. Where none of them is busier than a NIC,
/// a ring takes as long as on one switch.
Choice choose_on_fabric(const Machine& machine, const CollectiveRequest& request) {
  const auto pattern = collective_algorithm(request.kind).between_nodes.pattern;
  const Machine alike = on_one_switch(machine, pattern);
  const auto choice = choose_on_one_switch(alike, request);
  const bool is_narrowed = alike.nic_Bps < machine.nic_Bps;
  const bool is_ring = pattern == TrafficPattern::ring;
  if (choice.engine == Engine::full || (is_ring && !is_narrowed)) return choice;
  if (request.may_run_in_full) return {Engine::full};
  return on_shared_links(choice);
}

} // namespace

Choice choose_collective(const Machine& machine, const CollectiveKind& collective, double size_bytes, int operations,
                         Fidelity requested, double messages_before) {
  if (machine.ranks <= 1) return {}; // a single rank sends nothing
  CollectiveRequest request{collective, requested, full_run_of(machine, collective, size_bytes, operations)};
  request.may_run_in_full = requested == Fidelity::by_default && is_affordable(request.full, messages_before);
  return machine.fabric ? choose_on_fabric(machine, request) : choose_on_one_switch(machine, request);
}

namespace {

double work_of(double messages, double connections) {
  return messages * (1 + connections / connections_a_message);
}

/// Returns the work of a run with one connection of each class.
double work_by_classes(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  const auto classes = server_classes_of(machine, servers, exchange);
  const auto connections = find_connection_classes(*classes);
  double messages = 0; // messages for one push and one pull of every shard
  for (const auto& connection : connections)
    messages += 2.0 * static_cast<double>(classes->servers[connection.server_class].shards.size());
  return work_of(messages, static_cast<double>(connections.size()));
}

bool is_affordable_in_full(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  const auto full = full_run_of(machine, servers, exchange);
  const double connections = 1.0 * machine.nodes() * exchange.messages_per_node * servers.servers;
  return full.actors <= most_actors && work_of(full.messages, connections) <= affordable_server_work;
}

/// Chooses for servers on a fabric whose links are simulated one by one.
Choice choose_exchange_on_fabric(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                                 Fidelity requested) {
  const int hosts = servers.dedicated ? servers.servers : 0;
  const bool has_room = machine.fabric->places.size() >= at(machine.nodes()) + at(hosts);
  if (requested == Fidelity::full && !has_room)
    throw TooManyMessages(
        fmt::format("the fabric has no place for {} hosts of servers beside the job's {} nodes; ask for "
                    "fewer, or leave --fidelity away",
                    hosts, machine.nodes()));
  if (requested == Fidelity::by_default && has_room && is_affordable_in_full(machine, servers, exchange))
    return {Engine::full};
  const auto choice =
      choose_server_exchange(on_one_switch(machine, TrafficPattern::all_to_all), servers, exchange, requested);
  return choice.engine == Engine::full ? choice : on_shared_links(choice);
}

} // namespace

Choice choose_server_exchange(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                              Fidelity requested) {
  if (machine.fabric) return choose_exchange_on_fabric(machine, servers, exchange, requested);
  if (requested == Fidelity::full) {
    const int workers = machine.nodes() * exchange.messages_per_node;
    refuse_too_many(fmt::format("{} workers and {} servers", workers, servers.servers),
                    full_run_of(machine, servers, exchange));
    return {Engine::full};
  }
  const bool is_exact = exchange_formula_is_exact(machine, servers, exchange);
  if (requested == Fidelity::formula) return {Engine::formula, is_exact};
  const std::size_t classes = count_connection_classes(machine, servers, exchange);
  if (classes <= most_classes && work_by_classes(machine, servers, exchange) <= affordable_server_work)
    return {Engine::classes};
  return {Engine::formula, is_exact, fmt::format("{} connections between workers and servers differ", classes)};
}

Choice choose_paths(Fidelity requested) {
  if (requested == Fidelity::full) return {Engine::full};
  return {requested == Fidelity::formula ? Engine::formula : Engine::classes};
}

namespace {

/// Returns the number of messages of all rounds.
double messages_of_async(const AsyncExchange& async, int workers) {
  return fewest_rounds(workers) * round_iterations * workers * messages_of_iteration(async.exchange);
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
    return {Engine::full};
  }
  if (requested == Fidelity::formula) return {Engine::formula, false};
  const Choice choice{Engine::classes, false};
  return machine.fabric && !groups_to_run(machine, servers, async).machine.fabric ? on_shared_links(choice) : choice;
}

} // namespace ddlsim
