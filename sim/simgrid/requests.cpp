#include "sim/simgrid/requests.hpp"

#include <memory>
#include <utility>

namespace ddlsim {
namespace {

/// Adds a list: its length, then each of its elements.
template <class Element, class AddOne>
void add_each(RequestWriter& writer, const std::vector<Element>& list, const AddOne& add_one) {
  writer.add(static_cast<double>(list.size()));
  for (const Element& element : list) add_one(element);
}

template <class ReadOne> auto read_each(RequestReader& reader, const ReadOne& read_one) {
  std::vector<decltype(read_one())> list;
  const auto size = static_cast<std::size_t>(reader.number());
  list.reserve(size);
  for (std::size_t i = 0; i < size; ++i) list.push_back(read_one());
  return list;
}

/// A seed has more bits than a double holds exactly, so it is sent in two halves.
constexpr std::uint64_t half_seed = 1ULL << 32;

void add_transfer(RequestWriter& writer, const Transfer& transfer) {
  // A new field of Transfer does not compile until it is sent too.
  const auto& [ready_s, alone_s, edge_bytes, rounds, pattern, continues] = transfer;
  for (const double number : {ready_s, alone_s, edge_bytes}) writer.add(number);
  writer.add(rounds);
  writer.add(pattern);
  writer.add(continues ? 1 : 0);
}

Transfer read_transfer(RequestReader& reader) {
  Transfer transfer;
  for (double* number : {&transfer.ready_s, &transfer.alone_s, &transfer.edge_bytes}) *number = reader.number();
  transfer.rounds = reader.integer();
  transfer.pattern = reader.integer();
  transfer.continues = reader.integer() != 0;
  return transfer;
}

} // namespace

void RequestWriter::add(const std::vector<double>& list) {
  add_each(*this, list, [&](double number) { add(number); });
}

std::vector<double> RequestReader::list() {
  return read_each(*this, [&] { return number(); });
}

void RequestWriter::add(const Machine& machine) {
  const auto& [ranks, ranks_per_node, intra_Bps, intra_latency_s, nic_Bps, net_latency_s, nodes_per_leaf, uplink_Bps,
               slow_nic_factor, nic_duplex, fabric] = machine; // a new field does not compile until it is sent too
  for (const int number : {ranks, ranks_per_node, nodes_per_leaf}) add(number);
  for (const double number :
       {intra_Bps, intra_latency_s, nic_Bps, net_latency_s, uplink_Bps, slow_nic_factor, nic_duplex})
    add(number);
  add(fabric ? 1 : 0);
  if (fabric) add(*fabric);
}

void RequestWriter::add(const PlacedFabric& placed) {
  // the load is left out, because SimGrid does not read it
  const auto& [fabric, nic_line_Bps, background, places, load] = placed;
  const auto& [kind, nodes_per_leaf, blocking, hop_latency_s, upper_levels, dimensions, groups, switches_per_group,
               nodes_per_switch, links_between_groups, link_bandwidth_Bps, routing, sharp] = fabric;
  for (const double number : {nic_line_Bps, background, blocking, hop_latency_s, link_bandwidth_Bps}) add(number);
  for (const int number : {static_cast<int>(kind), static_cast<int>(routing), sharp ? 1 : 0, nodes_per_leaf, groups,
                           switches_per_group, nodes_per_switch, links_between_groups})
    add(number);
  add_each(*this, upper_levels, [&](const FabricLevel& level) {
    add(level.nodes);
    add(level.blocking);
  });
  add_each(*this, dimensions, [&](int length) { add(length); });
  add_each(*this, places, [&](int place) { add(place); });
}

PlacedFabric RequestReader::placed_fabric() {
  PlacedFabric placed;
  auto& fabric = placed.fabric;
  for (double* value :
       {&placed.nic_line_Bps, &placed.background, &fabric.blocking, &fabric.hop_latency_s, &fabric.link_bandwidth_Bps})
    *value = number();
  fabric.kind = static_cast<FabricKind>(integer());
  fabric.routing = static_cast<Routing>(integer());
  fabric.sharp = integer() == 1;
  for (int* value : {&fabric.nodes_per_leaf, &fabric.groups, &fabric.switches_per_group, &fabric.nodes_per_switch,
                     &fabric.links_between_groups})
    *value = integer();
  fabric.upper_levels = read_each(*this, [&] {
    const int nodes = integer();
    return FabricLevel{nodes, number()};
  });
  fabric.dimensions = read_each(*this, [&] { return integer(); });
  placed.places = read_each(*this, [&] { return integer(); });
  return placed;
}

Machine RequestReader::machine() {
  Machine machine;
  for (int* number : {&machine.ranks, &machine.ranks_per_node, &machine.nodes_per_leaf}) *number = integer();
  for (double* value : {&machine.intra_Bps, &machine.intra_latency_s, &machine.nic_Bps, &machine.net_latency_s,
                        &machine.uplink_Bps, &machine.slow_nic_factor, &machine.nic_duplex})
    *value = number();
  if (integer() == 1) machine.fabric = std::make_shared<const PlacedFabric>(placed_fabric());
  return machine;
}

void RequestWriter::add(const ServerMachine& servers) {
  const auto& [count, dedicated, process_Bps, connection_Bps, nic_share] = servers;
  add(count);
  add(dedicated ? 1 : 0);
  add(process_Bps);
  add(connection_Bps);
  add(nic_share);
}

ServerMachine RequestReader::servers() {
  ServerMachine servers;
  servers.servers = integer();
  servers.dedicated = integer() == 1;
  servers.process_Bps = number();
  servers.connection_Bps = number();
  servers.nic_share = number();
  return servers;
}

void RequestWriter::add(const ServerExchange& exchange) {
  const auto& [shards, ready_s, slow_ready_s, messages_per_node, message_cost_s] = exchange;
  add_each(*this, shards, [&](const Shard& shard) {
    add(shard.tensor);
    add(shard.server);
    add(shard.size_bytes);
  });
  add(ready_s);
  add(slow_ready_s);
  add(messages_per_node);
  add(message_cost_s);
}

ServerExchange RequestReader::exchange() {
  ServerExchange exchange;
  exchange.shards = read_each(*this, [&] {
    Shard shard;
    shard.tensor = integer();
    shard.server = integer();
    shard.size_bytes = number();
    return shard;
  });
  exchange.ready_s = list();
  exchange.slow_ready_s = list();
  exchange.messages_per_node = integer();
  exchange.message_cost_s = number();
  return exchange;
}

void RequestWriter::add(const AsyncExchange& async) {
  const auto& [exchange, compute_s, compute_spread, slow_factor, seed] = async;
  add(exchange);
  for (const double number : {compute_s, compute_spread, slow_factor}) add(number);
  const std::uint64_t upper_half = seed / half_seed;
  const std::uint64_t lower_half = seed % half_seed;
  add(static_cast<double>(upper_half));
  add(static_cast<double>(lower_half));
}

AsyncExchange RequestReader::async() {
  AsyncExchange async;
  async.exchange = exchange();
  for (double* value : {&async.compute_s, &async.compute_spread, &async.slow_factor}) *value = number();
  const auto high = static_cast<std::uint64_t>(number());
  async.seed = high * half_seed + static_cast<std::uint64_t>(number());
  return async;
}

void RequestWriter::add(const std::vector<PathMessage>& messages) {
  add_each(*this, messages, [&](const PathMessage& message) {
    add(static_cast<double>(message.path));
    add(message.ready_s);
    add(message.size_bytes);
  });
}

std::vector<PathMessage> RequestReader::messages() {
  return read_each(*this, [&] {
    PathMessage message;
    message.path = static_cast<std::size_t>(number());
    message.ready_s = number();
    message.size_bytes = number();
    return message;
  });
}

void add_jobs(RequestWriter& writer, const std::vector<Job>& jobs) {
  writer.add(static_cast<double>(jobs.size()));
  for (const Job& job : jobs) {
    const auto& [start_s, compute_s, rest_s, edge_Bps, transfers, edges_apart, patterns] = job;
    for (const double number : {start_s, compute_s, rest_s, edge_Bps, edges_apart}) writer.add(number);
    writer.add(patterns);
    writer.add(static_cast<double>(transfers.size()));
    for (const Transfer& transfer : transfers) add_transfer(writer, transfer);
  }
}

std::vector<Job> read_jobs(RequestReader& reader) {
  std::vector<Job> jobs(static_cast<std::size_t>(reader.number()));
  for (Job& job : jobs) {
    for (double* number : {&job.start_s, &job.compute_s, &job.rest_s, &job.edge_Bps, &job.edges_apart})
      *number = reader.number();
    job.patterns = reader.integer();
    job.transfers.resize(static_cast<std::size_t>(reader.number()));
    for (Transfer& transfer : job.transfers) transfer = read_transfer(reader);
  }
  return jobs;
}

void add_shared_links(RequestWriter& writer, const std::vector<SharedLink>& links) {
  writer.add(static_cast<double>(links.size()));
  for (const SharedLink& link : links) {
    writer.add(link.rate_Bps);
    writer.add(std::vector<double>(link.flows.begin(), link.flows.end()));
    writer.add(static_cast<double>(link.by_pattern.size()));
    for (const auto& of_job : link.by_pattern) writer.add(std::vector<double>(of_job.begin(), of_job.end()));
  }
}

std::vector<SharedLink> read_shared_links(RequestReader& reader) {
  std::vector<SharedLink> links(static_cast<std::size_t>(reader.number()));
  for (SharedLink& link : links) {
    link.rate_Bps = reader.number();
    for (const double flows : reader.list()) link.flows.push_back(static_cast<int>(flows));
    link.by_pattern.resize(static_cast<std::size_t>(reader.number()));
    for (auto& of_job : link.by_pattern)
      for (const double flows : reader.list()) of_job.push_back(static_cast<int>(flows));
  }
  return links;
}

Numbers numbers_of(SharedTimes times) {
  times.iterations_s.push_back(times.messages);
  return std::move(times.iterations_s);
}

SharedTimes shared_times_of(Numbers numbers) {
  SharedTimes times{std::move(numbers), 0};
  times.messages = times.iterations_s.back();
  times.iterations_s.pop_back();
  return times;
}

} // namespace ddlsim
