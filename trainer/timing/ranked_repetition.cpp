#include "trainer/timing/ranked_repetition.hpp"

#include "trainer/records/clock.hpp"
#include "trainer/records/disturbance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace ddltrain {
namespace {

/// A node's processes all see its busy time; what the job's own took is the sum over its ranks.
double others_on_busiest_node(const RankedJob& job, const CpuUse& from, const CpuUse& to) {
  const auto texts = job.ranks.gather(
      fmt::format("{} {} {}", to.wall_s - from.wall_s, to.machine_busy_s - from.machine_busy_s, to.own_s - from.own_s));
  std::vector<CpuUse> nodes(static_cast<std::size_t>(job.nodes.nodes));
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    CpuUse& node = nodes[static_cast<std::size_t>(job.nodes.node_of_rank[rank])];
    double own_s = 0;
    std::istringstream(texts[rank]) >> node.wall_s >> node.machine_busy_s >> own_s;
    node.own_s += own_s;
  }
  double most = -1;
  for (const CpuUse& node : nodes) most = std::max(most, others_busy_cores({}, node));
  return most;
}

double run_once(MpiCommunicator& ranks, const std::function<double()>& once) {
  ranks.barrier();
  return once();
}

} // namespace

RankedSamples repeat_together(const RankedJob& job, const std::function<double()>& once, const RepeatLimits& limits) {
  for (int i = 0; i < limits.warm_up; ++i) run_once(job.ranks, once);
  RankedSamples samples;
  const CpuUse before = cpu_use();
  const double start_s = now_s();
  double elapsed_s = 0;
  do {
    std::vector<double> slowest = {run_once(job.ranks, once), now_s() - start_s};
    job.ranks.all_reduce_largest(slowest);
    samples.times_s.push_back(slowest[0]);
    elapsed_s = slowest[1];
  } while (!enough(samples.times_s, elapsed_s, limits));
  samples.others_cores = others_on_busiest_node(job, before, cpu_use());
  return samples;
}

} // namespace ddltrain
