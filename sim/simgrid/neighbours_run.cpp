#include "sim/simgrid/neighbours_run.hpp"

#include "sim/simgrid/requests.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// Most rounds of a transfer that are run; more are merged. Compared with a run of every round, for up to 1,024 ranks
/// (2,046 rounds), the mean iteration of 100 draws of tests/neighbours/random_jobs.hpp changes by
///   32        -0.6 to +1.0 %, rms 0.14 %
///   64        -0.1 to +1.0 %, rms 0.10 %
///   128, 256  -0.1 to +1.0 %, rms 0.10 %
/// and the time of a run grows with the rounds.
constexpr int most_rounds_of_neighbours = 64;

/// A job and its progress through its iterations.
struct JobOnFabric {
  const Job* job = nullptr;
  std::vector<Rounds> transfers{};
  std::vector<s4u::Host*> from{}; ///< the sending host of each pattern
  std::vector<s4u::Host*> to{};
};

/// Returns the number by which the flow counts of all jobs on the link are divided. The rate is divided too, so shares
/// stay the same. SimGrid counts a message on a link once for each flow that it stands for, so counts in the thousands
/// are divided by more than their common divisor, and rounded.
int flows_in_one(const SharedLink& link) {
  constexpr int most_flows = 500;
  int divisor = 0;
  for (const int flows : link.flows) divisor = std::gcd(divisor, flows);
  for (const auto& of_job : link.by_pattern)
    for (const int flows : of_job) divisor = std::gcd(divisor, flows);
  const int largest = *std::max_element(link.flows.begin(), link.flows.end());
  return std::max(divisor, (largest + most_flows - 1) / most_flows);
}

std::size_t flows_run(int flows, int divisor) {
  return flows == 0 ? 0 : static_cast<std::size_t>(std::max(1, (flows + divisor / 2) / divisor));
}

/// Returns the job's own link, and each shared link as many times as messages of that pattern cross it.
std::vector<s4u::LinkInRoute> route_of_job(const std::vector<SharedLink>& links, const Links& made, std::size_t job,
                                           int pattern, s4u::Link* own) {
  std::vector<s4u::LinkInRoute> route{s4u::LinkInRoute(own)};
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto times = flows_run(flows_of(links[i], job, pattern), flows_in_one(links[i]));
    route.insert(route.end(), times, s4u::LinkInRoute(made[i]));
  }
  return route;
}

std::vector<JobOnFabric> make_jobs_on_fabric(const std::vector<SharedLink>& all_links, const std::vector<Job>& jobs) {
  constexpr double idle_flops = 1; // no host computes here
  s4u::NetZone& zone = make_full_zone("fabric");
  const std::vector<SharedLink> links = binding_links(all_links, jobs);
  Links made;
  for (const SharedLink& link : links)
    made.push_back(make_link(zone, "shared" + std::to_string(made.size()), link.rate_Bps / flows_in_one(link)));
  std::vector<JobOnFabric> on_fabric;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    JobOnFabric one{&jobs[i]};
    const std::string name = "job" + std::to_string(i);
    const auto fastest_Bps = alone_Bps_by_pattern(all_links, jobs[i], i);
    for (const Transfer& transfer : jobs[i].transfers)
      one.transfers.push_back(rounds_of(jobs[i], transfer, fastest_Bps[static_cast<std::size_t>(transfer.pattern)],
                                        most_rounds_of_neighbours));
    for (int pattern = 0; pattern < jobs[i].patterns; ++pattern) {
      const double one_Bps = fastest_Bps[static_cast<std::size_t>(pattern)];
      const std::string own = pattern == 0 ? name : name + "-" + std::to_string(pattern);
      one.from.push_back(zone.create_host(own + "-from", idle_flops));
      one.to.push_back(zone.create_host(own + "-to", idle_flops));
      if (one_Bps > 0)
        zone.add_route(one.from.back()->get_netpoint(), one.to.back()->get_netpoint(), nullptr, nullptr,
                       route_of_job(links, made, i, pattern, make_link(zone, own, one_Bps)), false);
    }
    on_fabric.push_back(std::move(one));
  }
  zone.seal();
  return on_fabric;
}

/// Runs one transfer, which is ready now.
void run_transfer(const JobOnFabric& self, std::size_t transfer, SharedTimes& times) {
  const Rounds& rounds = self.transfers[transfer];
  const auto pattern = static_cast<std::size_t>(self.job->transfers[transfer].pattern);
  const std::uint64_t units = to_units(rounds.bytes);
  RingPace pace(rounds, s4u::Engine::get_clock());
  while (!pace.is_over()) {
    s4u::this_actor::sleep_until(pace.ready_s());
    if (units > 0) {
      ++times.messages;
      s4u::Comm::sendto(self.from[pattern], self.to[pattern], units);
    }
    pace.sent(s4u::Engine::get_clock());
  }
  s4u::this_actor::sleep_until(pace.ready_s());
}

/// Runs one iteration, which starts now.
void run_iteration(const JobOnFabric& self, SharedTimes& times) {
  const double began_s = s4u::Engine::get_clock();
  for (std::size_t i = 0; i < self.transfers.size(); ++i) {
    s4u::this_actor::sleep_until(began_s + self.job->transfers[i].ready_s);
    run_transfer(self, i, times);
  }
  s4u::this_actor::sleep_until(began_s + self.job->compute_s);
  s4u::this_actor::sleep_for(self.job->rest_s);
}

/// Runs job 0, the measured one. The neighbours end when it has done its iterations.
void run_measured_job(const JobOnFabric& self, int iterations, SharedTimes& times) {
  s4u::this_actor::sleep_until(self.job->start_s);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const double began_s = s4u::Engine::get_clock();
    run_iteration(self, times);
    times.iterations_s.push_back(s4u::Engine::get_clock() - began_s);
  }
  s4u::Actor::kill_all();
}

void run_neighbour(const JobOnFabric& self, SharedTimes& times) {
  s4u::this_actor::sleep_until(self.job->start_s);
  while (true) run_iteration(self, times);
}

} // namespace

SharedTimes simulate_rounds(const std::vector<SharedLink>& links, const std::vector<Job>& jobs, int iterations) {
  require_usable(links, jobs, iterations);
  start_simgrid();
  const std::vector<JobOnFabric> on_fabric = make_jobs_on_fabric(links, jobs);
  SharedTimes times;
  s4u::Actor::create("job 0", on_fabric.front().from.front(),
                     [&] { run_measured_job(on_fabric.front(), iterations, times); });
  for (std::size_t i = 1; i < on_fabric.size(); ++i)
    s4u::Actor::create("neighbour", on_fabric[i].from.front(), [&, i] { run_neighbour(on_fabric[i], times); });
  s4u::Engine::get_instance()->run();
  return times;
}

SharedTimes simulate_rounds_in_child(const std::vector<SharedLink>& links, const std::vector<Job>& jobs,
                                     int iterations) {
  require_usable(links, jobs, iterations);
  RequestWriter request;
  add_shared_links(request, links);
  add_jobs(request, jobs);
  request.add(iterations);
  const auto simulate = [](const Numbers& numbers) {
    RequestReader read(numbers);
    const auto links_read = read_shared_links(read);
    const auto jobs_read = read_jobs(read);
    return numbers_of(simulate_rounds(links_read, jobs_read, read.integer()));
  };
  return shared_times_of(run_in_fork(simulate, request.numbers()));
}

} // namespace ddlsim
