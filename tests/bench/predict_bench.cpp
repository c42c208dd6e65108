// How long an iteration, a point, a curve and a sweep take to predict, and a cluster to calibrate.

#include "calibrate/cache/fit_inputs.hpp"
#include "sim/base/child_process.hpp"
#include "sim/iteration/step.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/report.hpp"
#include "tests/bench/bench_support.hpp"
#include "tests/calibrate/shipped_data.hpp"

#include <benchmark/benchmark.h>

namespace ddlsim {
namespace {

const DataFolder data = ddlsim_test::shipped_data();

Scenario iris(const std::vector<std::string>& changes) {
  std::vector<JsonChange> all;
  for (std::size_t i = 0; i + 1 < changes.size(); i += 2) all.push_back({changes[i], changes[i + 1]});
  return read_scenario(data.scenarios() / "iris-resnet50.json", all);
}

const std::string ring_and_server =
    R"([{"name": "ring"}, {"name": "ps", "servers": {"count": 1}, "placement": "dedicated", "sharding": "bytes"}])";
const std::string seventeen_scales = "[1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768,65536]";

/// One iteration of ResNet-50, one all-reduce a tensor beside backward, 1,024 ranks.
void iteration(benchmark::State& state, Fidelity fidelity) {
  const auto model = load_model(data, "resnet50_v1.5");
  const auto cluster = load_cluster(data, "iris");
  const auto gpus = load_gpus(data);
  const auto presets = load_presets(data);
  const auto& preset = find_preset(presets, "wfbp");
  StepSetup setup{model, find_gpu(gpus, cluster.gpu), cluster, preset, find_transport(cluster, "nccl-ib"), {}};
  setup.strategy.name = StrategyName::ring;
  setup.batch_per_gpu = 128;
  setup.one_gpu_s = 0.367;
  setup.gpus = 1024;
  setup.gpus_per_node = 4;
  const auto sample =
      median_parameters(priors_of_fields(priors_for(load_priors(data)), "compute_measured", "nccl-ib", "wfbp"));
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(time_step(setup, sample, fidelity));
  count_memory(state);
}
BENCHMARK_CAPTURE(iteration, a_ring_a_tensor_1024_formula, Fidelity::formula)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(iteration, a_ring_a_tensor_1024_by_default, Fidelity::by_default)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void curve(benchmark::State& state, const std::string& strategies) {
  const auto scenario = iris({"/gpus", seventeen_scales, "/strategies", strategies});
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(predict(scenario, data, {Fidelity::by_default, {}}));
  count_memory(state);
}
BENCHMARK_CAPTURE(curve, ring_and_one_server, ring_and_server)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(curve, a_server_a_node,
                  R"([{"name": "ps", "servers": {"per_node": 1}, "placement": "colocated", "sharding": "bytes"}])")
    ->Unit(benchmark::kMillisecond);

void scenario(benchmark::State& state, const std::string& name, const std::vector<JsonChange>& changes) {
  const auto scenario = read_scenario(data.scenarios() / name, changes);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(predict(scenario, data, {}));
  count_memory(state);
}
BENCHMARK_CAPTURE(scenario, iris_four_strategies_65536, "iris-resnet50.json", {})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(scenario, llm_point, "p5-llama-3.1-8b-fsdp.json",
                  {{"/gpus", "[64]"}, {"/strategies", R"([{"name": "fsdp", "recompute": "alternate-matmuls"}])"}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(scenario, llm_four_scales_five_layouts, "p5-llama-3.1-8b-pipeline.json", {})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(scenario, double_trees_in_full, "k80-inception-ps.json", {})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// One cluster with its records, with those that it borrows.
void calibrate_cluster(benchmark::State& state, const std::string& cluster) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(fit_from_files(data, cluster, 1));
  count_memory(state);
}
BENCHMARK_CAPTURE(calibrate_cluster, iris, "iris")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(calibrate_cluster, megatron_h100, "megatron-h100")->Unit(benchmark::kMillisecond)->UseRealTime();

/// 200 scenarios, ring and one server, eight scales to 96 GPUs each, in a pool of two.
void sweep(benchmark::State& state) {
  constexpr int scenarios = 200;
  constexpr int jobs = 2;
  start_fork_server();
  for ([[maybe_unused]] auto _ : state) {
    const auto measured = read_measured_times(data);
    const auto results = run_in_workers(all_tasks(scenarios), jobs, [&](int task) {
      const auto scenario = iris({"/batch_per_gpu", std::to_string(8 + task % 100), "/gpus", "[1,2,4,8,16,32,64,96]",
                                  "/strategies", ring_and_server, "/seed", std::to_string(1 + task / 100)});
      return to_json_text(predict(scenario, data, {Fidelity::by_default, {}, &measured}));
    });
    for (const auto& result : results)
      if (!result.error.empty()) state.SkipWithError(result.error.c_str());
  }
  count_memory(state);
}
BENCHMARK(sweep)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);

} // namespace
} // namespace ddlsim
