#include "sim/simgrid/server_run.hpp"

#include "sim/parameter_server/traffic.hpp"
#include "sim/simgrid/links.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

s4u::Mailbox& mailbox_to_server(const ShardConnection& connection) {
  return *s4u::Mailbox::by_name("push" + connection.name);
}

s4u::Mailbox& mailbox_to_worker(const ShardConnection& connection) {
  return *s4u::Mailbox::by_name("pull" + connection.name);
}

/// Empties the mailbox by one message and returns when that has come.
void take(s4u::Mailbox& mailbox) {
  mailbox.get<int>();
}

/// Counts a copy; the last one wakes the connections that wait for the sum. Counted by the sender at the
/// moment its message ends, because the receiving actor may be busy giving out an earlier shard.
void count_copy(ShardOnServer& shard, double in_s) {
  shard.summed_s = std::max(shard.summed_s, in_s);
  --shard.copies_to_come;
  if (shard.copies_to_come > 0) return;
  for (int i = 0; i < shard.waiting; ++i) {
    shard.all_in->release();
  }
}

void run_worker_side(const ShardConnection& connection) {
  s4u::Mailbox& to_server = mailbox_to_server(connection);
  s4u::Mailbox& to_worker = mailbox_to_worker(connection);
  to_worker.set_receiver(s4u::Actor::self());
  for (ShardOnServer* shard : connection.shards) {
    s4u::this_actor::sleep_until(connection.from_slow_node ? shard->slow_ready_s : shard->ready_s);
    to_server.put(no_content(), shard->units);
    count_copy(*shard, s4u::Engine::get_clock() + connection.delay_s);
  }
  for (std::size_t i = 0; i < connection.shards.size(); ++i) {
    take(to_worker);
  }
  to_worker.set_receiver(nullptr);
}

void run_server_side(const ShardConnection& connection) {
  s4u::Mailbox& to_server = mailbox_to_server(connection);
  s4u::Mailbox& to_worker = mailbox_to_worker(connection);
  to_server.set_receiver(s4u::Actor::self());
  for (ShardOnServer* shard : connection.shards) {
    take(to_server);
    if (shard->copies_to_come > 0) {
      ++shard->waiting;
      shard->all_in->acquire();
    }
    s4u::this_actor::sleep_until(shard->summed_s);
    to_worker.put(no_content(), shard->units);
    --shard->copies_to_give;
    shard->pulled_s = std::max(shard->pulled_s, s4u::Engine::get_clock() + connection.delay_s);
  }
  to_server.set_receiver(nullptr);
}

} // namespace

std::vector<ShardOnServer> make_shards(const Machine& machine, const ServerMachine& servers,
                                       const ServerExchange& exchange) {
  const std::vector<double> sizes_bytes = message_sizes(machine, servers, exchange);
  std::vector<ShardOnServer> shards(sizes_bytes.size());
  for (std::size_t i = 0; i < shards.size(); ++i) {
    shards[i].units = to_units(sizes_bytes[i]);
    shards[i].ready_s = exchange.ready_s[i];
    shards[i].slow_ready_s = exchange.slow_ready_s.empty() ? exchange.ready_s[i] : exchange.slow_ready_s[i];
    shards[i].all_in = s4u::Semaphore::create(0);
  }
  return shards;
}

void add_copies(const ShardConnection& connection) {
  for (ShardOnServer* shard : connection.shards) {
    ++shard->copies_to_come;
    ++shard->copies_to_give;
  }
}

std::vector<double> times_of(const std::vector<const ShardOnServer*>& shards) {
  std::vector<double> times_s;
  for (const ShardOnServer* shard : shards) times_s.push_back(shard->summed_s);
  for (const ShardOnServer* shard : shards) times_s.push_back(shard->pulled_s);
  return times_s;
}

double run_connections(const std::vector<ShardConnection>& connections) {
  double messages = 0;
  for (const ShardConnection& connection : connections) {
    messages += 2 * static_cast<double>(connection.shards.size());
    s4u::Actor::create("worker side", connection.worker, [&connection] { run_worker_side(connection); });
    s4u::Actor::create("server side", connection.server, [&connection] { run_server_side(connection); });
  }
  s4u::Engine::get_instance()->run();
  for (const ShardConnection& connection : connections)
    for (const ShardOnServer* shard : connection.shards)
      if (shard->copies_to_give != 0) throw std::logic_error("server exchange: messages were left over");
  return messages;
}

} // namespace ddlsim
