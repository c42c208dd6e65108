// How long a job beside a neighbour takes to time.

#include "sim/neighbours/jobs.hpp"
#include "sim/simgrid/neighbours_run.hpp"

#include <benchmark/benchmark.h>

namespace ddlsim {
namespace {

/// Two jobs of 1,024 ranks, 8 a node, whose rings cross the links between switches 32 times and meet on 8 of them.
struct TwoJobs {
  std::vector<SharedLink> links;
  std::vector<Job> jobs;
};

Job large_job(double start_s) {
  constexpr double edge_Bps = 12.5e9;
  Job job{start_s, 0.2, 0.01, edge_Bps, {}, 32};
  for (int i = 0; i < 6; ++i) {
    const double edge_bytes = 0.4e9;
    job.transfers.push_back({0.03 * (i + 1), edge_bytes / edge_Bps + 2046 * 8e-6, edge_bytes, 2046});
  }
  return job;
}

TwoJobs two_jobs() {
  TwoJobs two{{}, {large_job(0), large_job(0.05)}};
  for (int link = 0; link < 64; ++link) two.links.push_back({12.5e9, {1, link % 8 == 0 ? 1 : 0}});
  return two;
}

void neighbours_by_rounds(benchmark::State& state) {
  constexpr int iterations = 8;
  const TwoJobs two = two_jobs();
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(simulate_rounds_in_child(two.links, two.jobs, iterations));
}
BENCHMARK(neighbours_by_rounds)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
} // namespace ddlsim
