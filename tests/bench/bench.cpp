// How long the pieces take: `build/release/bin/ddlsim_bench`. Peak memory of the process is a counter of each row.
// Nothing here is a test.

#include "sim/answer/predict.hpp"
#include "sim/engine/engine.hpp"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

namespace ddlsim {
namespace {

constexpr double hundred_megabytes = 100e6;

void count_memory(benchmark::State& state) {
  rusage own{};
  rusage children{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &children);
  state.counters["peak_MB"] = static_cast<double>(std::max(own.ru_maxrss, children.ru_maxrss)) / 1024;
}

/// 8 GPUs a node on NVLink, one 100 Gbit/s NIC a node.
Machine machine_of(int ranks) {
  Machine machine;
  machine.ranks = ranks;
  machine.ranks_per_node = 8;
  machine.intra_Bps = 100e9;
  machine.intra_latency_s = 1e-6;
  machine.nic_Bps = 10e9;
  machine.net_latency_s = 5e-6;
  return machine;
}

void ring_closed_form(benchmark::State& state) {
  const auto machine = machine_of(static_cast<int>(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(time_ring_all_reduces(machine, {hundred_megabytes}, Fidelity::closed_form));
  count_memory(state);
}
BENCHMARK(ring_closed_form)->Arg(1024)->Arg(16384)->Arg(65536);

void ring_full(benchmark::State& state) {
  const auto machine = machine_of(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(time_ring_all_reduces(machine, {hundred_megabytes}, Fidelity::full));
  count_memory(state);
}
BENCHMARK(ring_full)->Arg(64)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

/// ResNet-50's tensors one by one, round-robin, everything ready at 0.
void server_folded(benchmark::State& state, int nodes, ServerMachine servers, int nodes_per_leaf) {
  std::vector<double> tensor_bytes;
  for (const Layer& layer : read_model(DataFolder{DDLSIM_SOURCE_DIR}.models() / "resnet50_v1.json").layers) {
    for (const auto& tensor : layer.tensors) tensor_bytes.push_back(tensor.size_bytes);
  }
  Machine machine = machine_of(8 * nodes);
  machine.nodes_per_leaf = nodes_per_leaf;
  machine.uplink_Bps = nodes_per_leaf * machine.nic_Bps / 2;
  ServerExchange exchange;
  exchange.shards = place_tensors(tensor_bytes, servers.servers, "round-robin", 0);
  exchange.ready_s.assign(exchange.shards.size(), 0.0);
  for (auto _ : state) benchmark::DoNotOptimize(time_server_exchange(machine, servers, exchange, Fidelity::folded));
  count_memory(state);
}
BENCHMARK_CAPTURE(server_folded, 1024_workers_64_dedicated, 1024, {64, true}, 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(server_folded, 16384_nodes_1_colocated_2_to_1, 16384, {1, false}, 18)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(server_folded, 64_nodes_1_unlike_server_each, 64, {64, false}, 0)->Unit(benchmark::kMillisecond);

void predict_iris(benchmark::State& state, Fidelity fidelity) {
  const DataFolder data{DDLSIM_SOURCE_DIR};
  const auto scenario = read_scenario(data.scenarios() / "iris-resnet50.json");
  for (auto _ : state) benchmark::DoNotOptimize(predict(scenario, data, {fidelity, {}}));
  count_memory(state);
}
BENCHMARK_CAPTURE(predict_iris, closed_form, Fidelity::closed_form)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(predict_iris, full, Fidelity::full)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

} // namespace
} // namespace ddlsim

BENCHMARK_MAIN();
