// How long one communication takes to simulate.

#include "sim/simgrid/executor.hpp"
#include "tests/bench/bench_support.hpp"

namespace ddlsim {
namespace {

constexpr double hundred_megabytes = 100e6;

void ring(benchmark::State& state, Engine engine) {
  const auto machine = machine_of(static_cast<int>(state.range(0)));
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(executor_of(engine).all_reduces(machine, {hundred_megabytes}, Algorithm::ring));
  count_memory(state);
}
BENCHMARK_CAPTURE(ring, formula, Engine::formula)->Arg(1024)->Arg(16384)->Arg(65536);
BENCHMARK_CAPTURE(ring, classes, Engine::classes)
    ->Arg(1024)
    ->Arg(16384)
    ->Arg(65536)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(ring, full, Engine::full)
    ->Arg(64)
    ->Arg(256)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(1);

/// ResNet-50's tensors one by one; all ready at 0, or one after another over 0.2 s of backward.
void servers(benchmark::State& state, Engine engine, int nodes, ServerMachine servers, int nodes_per_leaf,
             double backward_s) {
  const auto tensor_bytes = resnet50_tensor_bytes();
  Machine machine = machine_of(8 * nodes);
  machine.nodes_per_leaf = nodes_per_leaf;
  machine.uplink_Bps = nodes_per_leaf * machine.nic_Bps / 2;
  ServerExchange exchange;
  exchange.shards = place_tensors(tensor_bytes, servers.servers, Sharding::round_robin, 0);
  for (const auto& shard : exchange.shards)
    exchange.ready_s.push_back(backward_s * shard.tensor / static_cast<double>(tensor_bytes.size()));
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(executor_of(engine).server_exchange(machine, servers, exchange));
  count_memory(state);
}
BENCHMARK_CAPTURE(servers, 1024_workers_64_dedicated, Engine::classes, 1024, {64, true}, 0, 0)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(servers, 1024_workers_64_dedicated_overlapped, Engine::classes, 1024, {64, true}, 0, 0.2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(servers, 16384_nodes_1_colocated_2_to_1, Engine::classes, 16384, {1, false}, 18, 0.2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(servers, 32_nodes_1_unlike_server_each, Engine::classes, 32, {32, false}, 0, 0.2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace
} // namespace ddlsim
