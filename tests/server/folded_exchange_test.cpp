#include "sim/server/folded_exchange.hpp"

#include <catch2/catch.hpp>

using ddlsim::Machine;
using ddlsim::ServerExchange;

namespace {

/// Large and small tensors on twelve unlike colocated servers, one a node, ready one after another.
ServerExchange on_twelve_servers(const char* rule, double backward_s) {
  std::vector<double> tensor_bytes(48);
  for (std::size_t i = 0; i < tensor_bytes.size(); ++i) {
    tensor_bytes[i] = i % 3 == 0 ? 1.5e5 * static_cast<double>(1 + i) : 4e3;
  }
  ServerExchange exchange;
  exchange.shards = ddlsim::place_tensors(tensor_bytes, 12, rule, 4e6);
  for (const ddlsim::Shard& shard : exchange.shards) {
    exchange.ready_s.push_back(backward_s * shard.tensor / 48);
  }
  return exchange;
}

Machine twelve_nodes() {
  Machine machine;
  machine.ranks = 12;
  machine.intra_Bps = 1e15;
  machine.nic_Bps = 1e9;
  return machine;
}

} // namespace

TEST_CASE("folded exchange, ended early by a share: near the exact one, as the header's table says") {
  for (const char* rule : {"round-robin", "bytes", "split", "hash"}) {
    for (const double backward_s : {0.0, 0.2}) {
      const ServerExchange exchange = on_twelve_servers(rule, backward_s);
      const double exact_s = server_exchange_folded(twelve_nodes(), {12, false}, exchange).end_s;
      INFO(rule << ", backward of " << backward_s << " s");
      CHECK(server_exchange_folded(twelve_nodes(), {12, false}, exchange, 1e-3).end_s ==
            Approx(exact_s).epsilon(0.0007));
      CHECK(server_exchange_folded(twelve_nodes(), {12, false}, exchange, 1e-2).end_s ==
            Approx(exact_s).epsilon(0.009));
    }
  }
}

TEST_CASE("folded exchange: what ends by itself is not ended early") {
  Machine machine = twelve_nodes();
  machine.ranks = 1;
  ServerExchange exchange;
  exchange.shards = {{0, 0, 1e6}, {1, 0, 1e6}};
  exchange.ready_s = {0, 0.5};
  // Nothing else happens, so every message runs to its own end: the share only joins ends that fall together.
  CHECK(server_exchange_folded(machine, {1, true}, exchange, 0.1).end_s == Approx(0.5 + 2e-3));
}

TEST_CASE("folded exchange: the reason not to fold has the number") {
  const ServerExchange exchange = on_twelve_servers("bytes", 0);
  CHECK_FALSE(why_server_exchange_not_folded(twelve_nodes(), {12, false}, exchange).has_value());
  CHECK_FALSE(why_server_exchange_not_folded(twelve_nodes(), {12, false}, exchange, 144).has_value());
  CHECK_THAT(why_server_exchange_not_folded(twelve_nodes(), {12, false}, exchange, 143).value_or(""),
             Catch::Contains("144 connections"));
}
