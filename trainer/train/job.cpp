#include "trainer/train/job.hpp"

#include "trainer/communication/node_map.hpp"
#include "trainer/files/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace ddltrain {

Job make_job(MpiCommunicator& world, const TrainStrategy& strategy, const std::string& host,
             std::function<void(std::exception_ptr)> fail) {
  Job job;
  job.world = &world;
  const bool serves = strategy.exchange == Exchange::servers;
  job.workers = world.size() - (serves && strategy.dedicated ? strategy.servers : 0);
  if (job.workers < 1) {
    throw UsageError(fmt::format("{} ranks for {} dedicated servers leave no worker", world.size(), strategy.servers));
  }
  if (serves && !strategy.dedicated && strategy.servers > job.workers) {
    throw UsageError(
        fmt::format("{} colocated servers on {} workers; at most one a worker", strategy.servers, job.workers));
  }
  job.place = place_on_node(map_nodes(world.gather(host)), world.rank());
  job.name = fmt::format("rank {} on host {}", world.rank(), host);
  job.fail = std::move(fail);
  job.group = world.split(job.is_worker() ? 0 : 1);
  return job;
}

std::vector<int> server_ranks(const Job& job, const TrainStrategy& strategy) {
  std::vector<int> ranks;
  for (int server = 0; server < strategy.servers; ++server) {
    ranks.push_back(strategy.dedicated ? job.workers + server : server);
  }
  return ranks;
}

} // namespace ddltrain
