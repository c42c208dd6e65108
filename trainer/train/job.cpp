#include "trainer/train/job.hpp"

#include "sim/base/error.hpp"
#include "trainer/communication/mpi_session.hpp"
#include "trainer/run_error.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <utility>

namespace ddltrain {
std::string program_identity() {
  std::ifstream program("/proc/self/exe", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(program), {});
  return fmt::format("ddltrain {} build {:08x}", DDLTRAIN_VERSION, checksum(bytes.data(), bytes.size()) & 0xFFFFFFFFU);
}

std::vector<std::string> introduce(MpiCommunicator& world, const Introduction& own) {
  std::vector<std::string> hosts = world.gather(own.host);
  const auto compare = [&](const std::string& mine, const std::string& verb, const std::string& advice) {
    const std::vector<std::string> all = world.gather(mine);
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      if (all[rank] == all[0]) continue;
      throw RunError(fmt::format("rank {} on host {} {} {}, but rank 0 on host {} {} {}; {}", rank, hosts[rank], verb,
                                 all[rank], hosts[0], verb, all[0], advice));
    }
  };
  compare(own.program, "runs", "install one build on all hosts");
  compare(own.arguments, "was started with", "start all ranks with one command line");
  return hosts;
}

Job make_job(MpiCommunicator& world, const TrainStrategy& strategy, const std::string& host,
             std::function<void(std::exception_ptr)> fail) {
  Job job;
  job.world = &world;
  const bool serves = strategy.exchange == Exchange::servers;
  job.workers = world.size() - (serves && strategy.dedicated ? strategy.servers : 0);
  if (job.workers < 1) {
    throw ddlsim::UserError(
        "", "", fmt::format("{} ranks for {} dedicated servers leave no worker", world.size(), strategy.servers));
  }
  if (serves && !strategy.dedicated && strategy.servers > job.workers) {
    throw ddlsim::UserError(
        "", "", fmt::format("{} colocated servers on {} workers; at most one a worker", strategy.servers, job.workers));
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

std::uint64_t checksum(const void* bytes, std::size_t count) {
  const auto* const data = static_cast<const unsigned char*>(bytes);
  std::uint64_t hash = 14695981039346656037U;
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ data[i]) * 1099511628211U;
  return hash;
}

void check_agreement(MpiCommunicator& ranks, const std::vector<float>& parameters) {
  const std::string own = fmt::format("{:016x}", checksum(parameters.data(), parameters.size() * sizeof(float)));
  const std::vector<std::string> all = ranks.gather(own);
  std::string others;
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] != all[0]) others += (others.empty() ? "" : ", ") + std::to_string(rank);
  }
  if (!others.empty()) {
    throw RunError("after synchronous training the parameters of ranks " + others +
                   " differ from those of rank 0; the records of this run are not to be trusted");
  }
}

} // namespace ddltrain
