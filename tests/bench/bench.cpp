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
