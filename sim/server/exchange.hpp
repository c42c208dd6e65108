#pragma once
// One synchronous exchange with parameter servers: push, sum over all workers, pull.

#include "sim/model/machine.hpp"
#include "sim/server/placement.hpp"

#include <vector>

namespace ddlsim {

/// What the workers send. Each node sends `messages_per_node` copies of every shard (1 when gradients are summed on the node first).
struct ServerExchange {
  std::vector<Shard> shards;        ///< in the order they become ready
  std::vector<double> ready_s;      ///< of each shard, on every worker, from the start of the iteration
  int messages_per_node = 1;
  double message_cost_s = 0;        ///< software cost of one message at the server, each direction
};

struct ServerExchangeTiming {
  double end_s = 0;                 ///< when the last worker has the last shard
  std::vector<double> pulled_s;     ///< of each shard, on the slowest worker
  int busiest_server = 0;
  double busiest_server_s = 0;      ///< time its link is busy, the busier direction
};

/// Closed form where every server is a FIFO in each direction (push, then pull of each shard once all copies are in) and every
/// worker node is a FIFO too; exact when servers are the bottleneck and all workers are alike:
///   1. in(p, k)   = max(ready, in(p, k-1)) + copies x (bytes/rate + cost)         copies = nodes x messages_per_node
///   2. out(p, k)  = max(in(p, k) , out(p, k-1)) + copies x (bytes/rate + cost)
///   3. pulled     = out + 2 latencies (one each way)
/// with rate the smallest of NIC, process ceiling and (copies x connection ceiling). A worker's own NIC bounds both directions likewise.
ServerExchangeTiming server_exchange_closed_form(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

} // namespace ddlsim
