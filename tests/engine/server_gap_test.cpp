// Where the closed form is not exact: how far it is from the full simulation. sim/engine/engine.hpp quotes these
// figures.

#include "tests/engine/exchanges.hpp"
#include "tests/engine/scale.hpp"

#include <catch2/catch.hpp>

using ddlsim::Fidelity;
using ddlsim::Machine;
using ddlsim::ServerExchange;

namespace {

/// ResNet-like: every third tensor is large, the later the larger; the last of the network is ready first.
std::vector<double> tensors() {
  std::vector<double> tensor_bytes(48);
  for (std::size_t i = 0; i < tensor_bytes.size(); ++i) {
    tensor_bytes[i] = i % 3 == 0 ? 1.5e5 * static_cast<double>(1 + i) : 4e3;
  }
  return tensor_bytes;
}

ServerExchange backward(int servers, const char* rule, double duration_s) {
  const std::vector<double> tensor_bytes = tensors();
  std::vector<ddlsim::Shard> shards = ddlsim::place_tensors(tensor_bytes, servers, rule, 4e6);
  ServerExchange exchange;
  exchange.shards.assign(shards.rbegin(), shards.rend());
  const auto count = static_cast<double>(tensor_bytes.size());
  for (const ddlsim::Shard& shard : exchange.shards) {
    exchange.ready_s.push_back(duration_s * (count - 1 - shard.tensor) / count);
  }
  return exchange;
}

/// (closed form / full - 1) of the end, 12 nodes, servers colocated.
double gap(int servers, const char* rule, double duration_s) {
  const Machine machine = ddlsim::ideal_workers(12);
  const ServerExchange exchange = backward(servers, rule, duration_s);
  const auto colocated = ddlsim::server_machine(servers, false);
  const double full_s = time_server_exchange(machine, colocated, exchange, Fidelity::full).end_s;
  return time_server_exchange(machine, colocated, exchange, Fidelity::closed_form).end_s / full_s - 1;
}

/// One line of the table in engine.hpp: gaps for 6, 12 and 24 servers.
struct Row {
  double duration_s;
  const char* rule;
  double gaps[3];
};

constexpr Row rows[] = {
    {0.0, "round-robin", {0.000, 0.022, 0.016}}, {0.2, "round-robin", {0.000, 0.007, 0.067}},
    {0.0, "split", {0.000, 0.013, 0.009}},       {0.2, "split", {0.000, 0.018, 0.008}},
    {0.0, "bytes", {0.062, 0.014, -0.001}},      {0.2, "bytes", {0.032, 0.061, 0.019}},
    {0.0, "hash", {0.054, 0.085, -0.002}},       {0.2, "hash", {0.026, 0.039, 0.037}},
};

} // namespace

TEST_CASE("gap of the closed form with colocated servers that carry unequal shards") {
  constexpr int servers[] = {6, 12, 24};
  for (const Row& row : rows) {
    for (int i = 0; i < 3; ++i) {
      if (servers[i] > ddlsim::most_ranks) continue;
      INFO(row.rule << ", " << servers[i] << " servers, backward of " << row.duration_s << " s");
      CHECK(gap(servers[i], row.rule, row.duration_s) == Approx(row.gaps[i]).margin(0.001));
    }
  }
}

TEST_CASE("no gap with one colocated server") {
  CHECK(gap(1, "round-robin", 0.0) == Approx(0.0).margin(1e-6));
  CHECK(gap(1, "split", 0.2) == Approx(0.0).margin(1e-6));
}
