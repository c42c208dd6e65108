// How long a plan takes that searches layouts at many scales.

#include "plan/plan.hpp"
#include "tests/base/in_workers.hpp"
#include "tests/bench/bench_support.hpp"
#include "tests/calibrate/shipped_data.hpp"

#include <benchmark/benchmark.h>

namespace ddlsim {
namespace {

/// The shipped plan of Llama 3.1 8B on two clusters, at seven scales each: some 100,000 layouts, on two cores.
void plan_of_many_layouts(benchmark::State& state) {
  constexpr int cores = 2;
  const auto data = ddlsim_test::shipped_data();
  const std::string scales = "[8,16,32,64,128,256,512]";
  const auto request = read_plan_request(data.scenarios() / "plans" / "llama-8b-one-trillion-tokens.json",
                                         {{"/candidates/0/gpus", scales}, {"/candidates/1/gpus", scales}});
  double layouts = 0;
  start_fork_server();
  for ([[maybe_unused]] auto _ : state) {
    layouts = 0;
    for (const auto& option : make_plan(request, data, in_workers(cores), cores).options)
      layouts += option.layouts_tried;
  }
  state.counters["layouts"] = layouts;
  count_memory(state);
}
BENCHMARK(plan_of_many_layouts)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);

} // namespace
} // namespace ddlsim
