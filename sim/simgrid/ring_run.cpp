#include "sim/simgrid/ring_run.hpp"

#include "sim/network/machine.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <stdexcept>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// How many steps, and how large a message is.
struct RingTask {
  int steps = 0;
  int early = 0;
  std::uint64_t message_units = 0;
};

/// What a rank does: send the message it has, then take the next one. The inbox has a permanent receiver, so that a
/// message flows as soon as its sender has it and the edge is free, also while this rank is still sending or waiting.
void run_rank(const RingRank& self, s4u::Mailbox& next, const RingTask& task, double& early_s, double& end_s) {
  self.inbox->set_receiver(s4u::Actor::self());
  for (int step = 1; step <= task.steps; ++step) {
    next.put(no_content(), task.message_units);
    int* content = nullptr;
    const s4u::CommPtr message = self.inbox->get_async<int>(&content);
    message->wait();
    // The message may have come while this rank was still sending.
    s4u::this_actor::sleep_until(message->get_finish_time() + self.delay_s);
    if (step == task.early) early_s = s4u::Engine::get_clock();
  }
  self.inbox->set_receiver(nullptr);
  end_s = s4u::Engine::get_clock();
}

} // namespace

std::vector<RingRank> make_ring_ranks(s4u::NetZone& zone, const std::string& name, const std::vector<PeriodEdge>& edges,
                                      const std::vector<SharedWay>& shared_ways) {
  constexpr double idle_flops = 1; // no rank computes here
  std::vector<RingRank> ranks;
  for (std::size_t rank = 0; rank < edges.size(); ++rank) {
    const std::string own = name + std::to_string(rank);
    std::vector<s4u::LinkInRoute> out;
    for (const PeriodLink& link : edges[rank].links)
      out.emplace_back(make_link(zone, link.name + ("-" + own), link.rate_Bps));
    if (!shared_ways.empty())
      for (auto* link : shared_ways[rank]) out.emplace_back(link);
    s4u::Host* host = zone.create_host(own, idle_flops);
    zone.add_route(host->get_netpoint(), nullptr, nullptr, nullptr, out, false);
    zone.add_route(nullptr, host->get_netpoint(), nullptr, nullptr, {}, false);
    const std::size_t before = (rank + edges.size() - 1) % edges.size();
    ranks.push_back({host, s4u::Mailbox::by_name(own), edges[before].latency_s});
  }
  return ranks;
}

RingRun run_ring(const std::vector<RingRank>& ranks, int steps, int early, double message_bytes) {
  const RingTask task{steps, early, to_units(message_bytes)};
  const double start_s = s4u::Engine::get_clock();
  RingRun run{std::vector<double>(ranks.size()), std::vector<double>(ranks.size())};
  std::size_t done = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RingRank& self = ranks[rank];
    s4u::Mailbox& next = *ranks[(rank + 1) % ranks.size()].inbox;
    s4u::Actor::create("rank", self.host, [&self, &next, &run, &done, &task, rank] {
      run_rank(self, next, task, run.early_s[rank], run.end_s[rank]);
      ++done;
    });
  }
  s4u::Engine::get_instance()->run();
  if (done != ranks.size()) throw std::logic_error("ring: ranks were left waiting");
  for (double& time_s : run.early_s) time_s -= start_s;
  for (double& time_s : run.end_s) time_s -= start_s;
  return run;
}

} // namespace ddlsim
