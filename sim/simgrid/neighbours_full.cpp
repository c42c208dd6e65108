#include "sim/simgrid/neighbours_run.hpp"
#include "sim/simgrid/requests.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <memory>
#include <stdexcept>
#include <string>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// A ring of actors.
struct RingOnFabric {
  const RingJob* ring = nullptr;
  std::vector<s4u::Host*> hosts{};
  std::vector<s4u::Mailbox*> inboxes{};
  s4u::BarrierPtr together{}; ///< of its ranks
};

/// A star zone: what a host sends takes the links of its edge, and nothing more on the way in.
RingOnFabric make_ring_on_fabric(s4u::NetZone& zone, const RingJob& ring, const std::string& name,
                                 const Links& shared) {
  constexpr double idle_flops = 1; // no rank computes here
  RingOnFabric made{&ring};
  for (std::size_t rank = 0; rank < ring.routes.size(); ++rank) {
    const std::string own = name + "-" + std::to_string(rank);
    std::vector<s4u::LinkInRoute> out{s4u::LinkInRoute(make_link(zone, own, ring.job.edge_Bps))};
    for (const std::size_t link : ring.routes[rank]) out.emplace_back(shared[link]);
    s4u::Host* host = zone.create_host(own, idle_flops);
    zone.add_route(host->get_netpoint(), nullptr, nullptr, nullptr, out, false);
    zone.add_route(nullptr, host->get_netpoint(), nullptr, nullptr, {}, false);
    made.hosts.push_back(host);
    made.inboxes.push_back(s4u::Mailbox::by_name(own));
  }
  made.together = s4u::Barrier::create(static_cast<unsigned>(ring.routes.size()));
  return made;
}

int steps_of(const RingJob& ring) {
  return 2 * (static_cast<int>(ring.routes.size()) - 1);
}

/// One rank's part of a transfer.
void pass_chunks(const RingOnFabric& self, std::size_t rank, double edge_bytes, SharedTimes& times) {
  const int steps = steps_of(*self.ring);
  s4u::Mailbox& next = *self.inboxes[(rank + 1) % self.inboxes.size()];
  for (int step = 0; step < steps; ++step) {
    ++times.messages;
    next.put(no_content(), to_units(edge_bytes / steps));
    int* content = nullptr;
    const s4u::CommPtr message = self.inboxes[rank]->get_async<int>(&content);
    message->wait();
    // The message may have come while this rank was still sending.
    s4u::this_actor::sleep_until(message->get_finish_time() + self.ring->hop_s);
  }
}

/// One iteration, which began just now.
void run_ring_iteration(const RingOnFabric& self, std::size_t rank, SharedTimes& times) {
  const Job& job = self.ring->job;
  const double began_s = s4u::Engine::get_clock();
  for (const Transfer& transfer : job.transfers) {
    s4u::this_actor::sleep_until(began_s + transfer.ready_s);
    pass_chunks(self, rank, transfer.edge_bytes, times);
    self.together->wait();
  }
  s4u::this_actor::sleep_until(began_s + job.compute_s);
  s4u::this_actor::sleep_for(job.rest_s);
}

/// Goes on until the ring has its iterations; 0: until somebody ends it.
void run_rank_of_ring(const RingOnFabric& self, std::size_t rank, int iterations, SharedTimes& times) {
  self.inboxes[rank]->set_receiver(s4u::Actor::self());
  s4u::this_actor::sleep_until(self.ring->job.start_s);
  for (int iteration = 0; iterations == 0 || iteration < iterations; ++iteration) {
    const double began_s = s4u::Engine::get_clock();
    run_ring_iteration(self, rank, times);
    if (iterations > 0 && rank == 0) times.iterations_s.push_back(s4u::Engine::get_clock() - began_s);
  }
  s4u::Actor::kill_all();
}

std::vector<RingOnFabric> make_rings_on_fabric(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs) {
  s4u::NetZone& zone = *s4u::create_star_zone("fabric");
  Links shared;
  for (const double rate_Bps : rates_Bps)
    shared.push_back(make_link(zone, "shared" + std::to_string(shared.size()), rate_Bps));
  std::vector<RingOnFabric> rings;
  for (const RingJob& job : jobs)
    rings.push_back(make_ring_on_fabric(zone, job, "job" + std::to_string(rings.size()), shared));
  zone.seal();
  return rings;
}

void require_usable_rings(const std::vector<double>& rates_Bps, const std::vector<RingJob>& rings, int iterations) {
  std::vector<Job> jobs;
  for (const RingJob& ring : rings) {
    if (ring.routes.size() < 2 || ring.hop_s < 0 || !(ring.job.edge_Bps > 0))
      throw std::invalid_argument("neighbours: a ring has two ranks or more, a delay of 0 or more and a rate");
    for (const auto& route : ring.routes)
      for (const std::size_t link : route)
        if (link >= rates_Bps.size())
          throw std::invalid_argument("neighbours: an edge crosses a link that is not there");
    jobs.push_back(ring.job);
  }
  require_usable(links_of_rings(rates_Bps, rings), jobs, iterations);
}

std::vector<RingJob> read_rings(RequestReader& read) {
  std::vector<RingJob> rings;
  for (Job& job : read_jobs(read)) {
    RingJob ring{std::move(job), read.number()};
    ring.routes.resize(static_cast<std::size_t>(read.number()));
    for (auto& route : ring.routes)
      for (const double link : read.list()) route.push_back(static_cast<std::size_t>(link));
    rings.push_back(std::move(ring));
  }
  return rings;
}

} // namespace

std::vector<SharedLink> links_of_rings(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs) {
  std::vector<SharedLink> links;
  for (const double rate_Bps : rates_Bps) links.push_back({rate_Bps, std::vector<int>(jobs.size(), 0)});
  for (std::size_t job = 0; job < jobs.size(); ++job)
    for (const auto& route : jobs[job].routes)
      for (const std::size_t link : route) ++links[link].flows[job];
  return links;
}

SharedTimes simulate_every_message(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs,
                                   int iterations) {
  require_usable_rings(rates_Bps, jobs, iterations);
  start_simgrid();
  const std::vector<RingOnFabric> rings = make_rings_on_fabric(rates_Bps, jobs);
  SharedTimes times;
  for (const RingOnFabric& ring : rings) {
    const int asked = &ring == &rings.front() ? iterations : 0;
    for (std::size_t rank = 0; rank < ring.hosts.size(); ++rank)
      s4u::Actor::create("rank", ring.hosts[rank], [&, rank, asked] { run_rank_of_ring(ring, rank, asked, times); });
  }
  s4u::Engine::get_instance()->run();
  return times;
}

SharedTimes simulate_every_message_in_child(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs,
                                            int iterations) {
  require_usable_rings(rates_Bps, jobs, iterations);
  RequestWriter request;
  std::vector<Job> plain;
  for (const RingJob& ring : jobs) plain.push_back(ring.job);
  request.add(rates_Bps);
  request.add(iterations);
  add_jobs(request, plain);
  for (const RingJob& ring : jobs) {
    request.add(ring.hop_s);
    request.add(static_cast<double>(ring.routes.size()));
    for (const auto& route : ring.routes) request.add(std::vector<double>(route.begin(), route.end()));
  }
  const auto simulate = [](const Numbers& numbers) {
    RequestReader read(numbers);
    const auto rates_read_Bps = read.list();
    const int iterations_read = read.integer();
    return numbers_of(simulate_every_message(rates_read_Bps, read_rings(read), iterations_read));
  };
  return shared_times_of(run_in_fork(simulate, request.numbers()));
}

} // namespace ddlsim
