#include "sim/simgrid/neighbours_run.hpp"
#include "sim/simgrid/requests.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// Where a rank sends its message of a pattern, and where it receives one.
struct PairOnFabric {
  s4u::Mailbox* out = nullptr; ///< mailbox of the message that the rank sends; null: it sends none
  s4u::Mailbox* in = nullptr;
};

/// A job's ranks as actors, which form a ring or exchange in pairs.
struct RingOnFabric {
  const RingJob* ring = nullptr;
  std::vector<s4u::Host*> hosts{};
  std::vector<s4u::Mailbox*> inboxes{};
  std::vector<std::vector<PairOnFabric>> pairs{}; ///< mailboxes for each pattern and rank
  s4u::BarrierPtr together{};                     ///< barrier of the job's ranks
};

s4u::Host* make_host(s4u::NetZone& zone, const std::string& name) {
  constexpr double idle_flops = 1; // no rank computes here
  return zone.create_host(name, idle_flops);
}

/// Adds the route between two hosts. A message crosses the sender's NIC and the shared links of its route, and the
/// receiver's NIC where several messages may arrive at once.
void add_route(s4u::NetZone& zone, s4u::Host* from, s4u::Host* to, s4u::Link* nic_out,
               const std::vector<std::size_t>& route, const Links& shared, s4u::Link* nic_in = nullptr) {
  std::vector<s4u::LinkInRoute> links{s4u::LinkInRoute(nic_out)};
  for (const std::size_t link : route) links.emplace_back(shared[link]);
  if (nic_in != nullptr) links.emplace_back(nic_in);
  zone.add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, links, false);
}

void add_ring(s4u::NetZone& zone, RingOnFabric& made, const std::string& name, const Links& shared) {
  for (std::size_t rank = 0; rank < made.hosts.size(); ++rank) {
    const std::string own = name + "-" + std::to_string(rank);
    made.inboxes.push_back(s4u::Mailbox::by_name(own));
    add_route(zone, made.hosts[rank], made.hosts[(rank + 1) % made.hosts.size()],
              make_link(zone, own, made.ring->job.edge_Bps), made.ring->routes[rank], shared);
  }
}

void add_pairs(s4u::NetZone& zone, RingOnFabric& made, const std::string& name, const Links& shared) {
  Links out;
  Links in;
  for (std::size_t rank = 0; rank < made.hosts.size(); ++rank) {
    out.push_back(make_link(zone, name + "-out-" + std::to_string(rank), made.ring->job.edge_Bps));
    in.push_back(make_link(zone, name + "-in-" + std::to_string(rank), made.ring->job.edge_Bps));
  }
  std::set<std::pair<int, int>> linked;
  for (const auto& pattern : made.ring->pairs) {
    made.pairs.emplace_back(made.hosts.size());
    for (const PairMessage& message : pattern) {
      const auto from = static_cast<std::size_t>(message.from);
      const auto to = static_cast<std::size_t>(message.to);
      if (linked.emplace(message.from, message.to).second)
        add_route(zone, made.hosts[from], made.hosts[to], out[from], message.route, shared, in[to]);
      const auto inbox = s4u::Mailbox::by_name(name + "-" + std::to_string(from) + "-" + std::to_string(to));
      made.pairs.back()[from].out = inbox;
      made.pairs.back()[to].in = inbox;
    }
  }
}

RingOnFabric make_ring_on_fabric(s4u::NetZone& zone, const RingJob& ring, const std::string& name,
                                 const Links& shared) {
  RingOnFabric made{&ring};
  for (std::size_t rank = 0; rank < ring.routes.size(); ++rank)
    made.hosts.push_back(make_host(zone, name + "-" + std::to_string(rank)));
  if (ring.pairs.empty()) {
    add_ring(zone, made, name, shared);
  } else {
    add_pairs(zone, made, name, shared);
  }
  made.together = s4u::Barrier::create(static_cast<unsigned>(ring.routes.size()));
  return made;
}

int steps_of(const RingJob& ring) {
  return 2 * (static_cast<int>(ring.routes.size()) - 1);
}

/// Runs one rank's part of a ring transfer.
void pass_chunks(const RingOnFabric& self, std::size_t rank, double edge_bytes, SharedTimes& times) {
  const int steps = steps_of(*self.ring);
  s4u::Mailbox& next = *self.inboxes[(rank + 1) % self.inboxes.size()];
  for (int step = 0; step < steps; ++step) {
    ++times.messages;
    next.put(no_content(), to_units(edge_bytes / steps));
    int* content = nullptr;
    const s4u::CommPtr message = self.inboxes[rank]->get_async<int>(&content);
    message->wait();
    // The message may have arrived while this rank was still sending.
    s4u::this_actor::sleep_until(message->get_finish_time() + self.ring->hop_s);
  }
}

/// Sends one rank's message of a transfer, and receives the message that is sent to it.
void exchange(const RingOnFabric& self, std::size_t rank, const Transfer& transfer, SharedTimes& times) {
  const PairOnFabric& pair = self.pairs[static_cast<std::size_t>(transfer.pattern)][rank];
  s4u::CommPtr sent;
  if (pair.out != nullptr) {
    ++times.messages;
    sent = pair.out->put_async(no_content(), to_units(transfer.edge_bytes));
  }
  if (pair.in != nullptr) {
    int* content = nullptr;
    const s4u::CommPtr message = pair.in->get_async<int>(&content);
    message->wait();
    s4u::this_actor::sleep_until(message->get_finish_time() + self.ring->hop_s);
  }
  if (sent != nullptr) sent->wait();
}

/// Runs one iteration, which starts now.
void run_ring_iteration(const RingOnFabric& self, std::size_t rank, SharedTimes& times) {
  const Job& job = self.ring->job;
  const double began_s = s4u::Engine::get_clock();
  for (std::size_t i = 0; i < job.transfers.size(); ++i) {
    const Transfer& transfer = job.transfers[i];
    s4u::this_actor::sleep_until(began_s + transfer.ready_s);
    if (self.pairs.empty()) {
      pass_chunks(self, rank, transfer.edge_bytes, times);
    } else {
      exchange(self, rank, transfer, times);
    }
    const bool goes_on = i + 1 < job.transfers.size() && job.transfers[i + 1].continues;
    if (!goes_on) self.together->wait();
  }
  s4u::this_actor::sleep_until(began_s + job.compute_s);
  s4u::this_actor::sleep_for(job.rest_s);
}

/// Runs one rank until the ring has done its iterations. With 0 iterations it runs until the actor is killed.
void run_rank_of_ring(const RingOnFabric& self, std::size_t rank, int iterations, SharedTimes& times) {
  if (!self.inboxes.empty()) self.inboxes[rank]->set_receiver(s4u::Actor::self());
  s4u::this_actor::sleep_until(self.ring->job.start_s);
  for (int iteration = 0; iterations == 0 || iteration < iterations; ++iteration) {
    const double began_s = s4u::Engine::get_clock();
    run_ring_iteration(self, rank, times);
    if (iterations > 0 && rank == 0) times.iterations_s.push_back(s4u::Engine::get_clock() - began_s);
  }
  s4u::Actor::kill_all();
}

std::vector<RingOnFabric> make_rings_on_fabric(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs) {
  s4u::NetZone& zone = make_full_zone("fabric");
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
    std::vector<std::vector<std::size_t>> routes = ring.routes;
    for (const auto& pattern : ring.pairs)
      for (const PairMessage& message : pattern) routes.push_back(message.route);
    for (const auto& route : routes)
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
    ring.pairs.resize(static_cast<std::size_t>(read.number()));
    for (auto& pattern : ring.pairs) {
      pattern.resize(static_cast<std::size_t>(read.number()));
      for (PairMessage& message : pattern) {
        message.from = read.integer();
        message.to = read.integer();
        for (const double link : read.list()) message.route.push_back(static_cast<std::size_t>(link));
      }
    }
    rings.push_back(std::move(ring));
  }
  return rings;
}

} // namespace

std::vector<SharedLink> links_of_rings(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs) {
  std::vector<SharedLink> links;
  const std::size_t apart =
      std::count_if(jobs.begin(), jobs.end(), [](const RingJob& job) { return !job.pairs.empty(); });
  for (const double rate_Bps : rates_Bps) {
    links.push_back({rate_Bps, std::vector<int>(jobs.size(), 0)});
    if (apart == 0) continue;
    links.back().by_pattern.resize(jobs.size());
    for (std::size_t job = 0; job < jobs.size(); ++job) links.back().by_pattern[job].resize(jobs[job].pairs.size());
  }
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    for (std::size_t pattern = 0; pattern < jobs[job].pairs.size(); ++pattern)
      for (const PairMessage& message : jobs[job].pairs[pattern])
        for (const std::size_t link : message.route) {
          const int flows = ++links[link].by_pattern[job][pattern];
          links[link].flows[job] = std::max(links[link].flows[job], flows);
        }
    if (!jobs[job].pairs.empty()) continue;
    for (const auto& route : jobs[job].routes)
      for (const std::size_t link : route) ++links[link].flows[job];
  }
  return links;
}

SharedTimes simulate_every_message(const std::vector<double>& rates_Bps, const std::vector<RingJob>& jobs,
                                   int iterations) {
  require_usable_rings(rates_Bps, jobs, iterations);
  start_simgrid();
  const std::vector<RingOnFabric> rings = make_rings_on_fabric(rates_Bps, jobs);
  SharedTimes times;
  for (const RingOnFabric& ring : rings) {
    const int timed_iterations = &ring == &rings.front() ? iterations : 0;
    for (std::size_t rank = 0; rank < ring.hosts.size(); ++rank)
      s4u::Actor::create("rank", ring.hosts[rank],
                         [&, rank, timed_iterations] { run_rank_of_ring(ring, rank, timed_iterations, times); });
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
    request.add(static_cast<double>(ring.pairs.size()));
    for (const auto& pattern : ring.pairs) {
      request.add(static_cast<double>(pattern.size()));
      for (const PairMessage& message : pattern) {
        request.add(message.from);
        request.add(message.to);
        request.add(std::vector<double>(message.route.begin(), message.route.end()));
      }
    }
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
