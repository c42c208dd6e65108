#include "sim/network/machine.hpp"
#include "sim/simgrid/class_runs.hpp"
#include "sim/simgrid/full.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// Returns the links of a route. SimGrid counts a message against a link's rate once for each time the link is listed,
/// so that one message stands for several.
std::vector<s4u::LinkInRoute> links_of(const MemberRoute& route, const Links& links) {
  std::vector<s4u::LinkInRoute> passed;
  for (const MemberCrossing& crossing : route.links)
    passed.insert(passed.end(), at(crossing.messages), s4u::LinkInRoute(links[at(crossing.link)]));
  return passed;
}

std::vector<s4u::Host*> make_class_hosts(const ClassSchedule& classes) {
  constexpr double idle_flops = 1; // no class computes here
  s4u::NetZone& zone = make_full_zone("classes");
  std::vector<s4u::Host*> hosts;
  for (int i = 0; i < classes.classes; ++i) hosts.push_back(zone.create_host(std::to_string(i), idle_flops));
  Links links;
  for (const MemberLink& link : classes.links)
    links.push_back(make_link(zone, link.name + std::to_string(links.size()), link.rate_Bps));
  for (const MemberRoute& route : classes.routes)
    zone.add_route(hosts[at(route.from)]->get_netpoint(), hosts[at(route.to)]->get_netpoint(), nullptr, nullptr,
                   links_of(route, links), false);
  zone.seal();
  return hosts;
}

double messages_of(const Schedule& schedule) {
  double messages = 0;
  for (const Program& program : schedule.programs)
    for (const Step& step : program.steps) messages += static_cast<double>(step.sends.size());
  return messages;
}

/// Number of chunks after which all classes are busy. In a double tree of 16,384 nodes of 8 ranks a chunk passes 42
/// messages, up and down.
constexpr int chunks_to_fill = 64;
constexpr int most_chunks_run = 2 * chunks_to_fill;

/// One run of a collective, or of its first chunks.
struct ChunksRun {
  double size_bytes = 0;
  int most_chunks = 0;
};

/// Returns one run of every collective, with as many chunks as are run at most. Collectives with more chunks get a
/// second run with half as many.
std::vector<ChunksRun> runs_of(const std::vector<double>& sizes_bytes, const ClassScheduleOf& schedule_of) {
  std::vector<ChunksRun> runs;
  for (const double size_bytes : sizes_bytes) runs.push_back({size_bytes, most_chunks_run});
  for (const double size_bytes : sizes_bytes)
    if (schedule_of(size_bytes, 1).chunks > most_chunks_run) runs.push_back({size_bytes, chunks_to_fill});
  return runs;
}

std::vector<double> run_chunks(const std::vector<ChunksRun>& runs, const ClassScheduleOf& schedule_of,
                               double& messages) {
  const ClassSchedule first = schedule_of(runs.front().size_bytes, 1);
  const std::vector<s4u::Host*> hosts = make_class_hosts(first);
  std::map<std::pair<int, int>, double> latencies_s;
  for (const MemberRoute& route : first.routes) latencies_s[{route.from, route.to}] = route.latency_s;
  std::vector<double> sizes_bytes;
  for (const auto& run : runs) sizes_bytes.push_back(run.size_bytes);
  auto next = runs.begin(); // schedules are requested in the order of the sizes
  const auto next_schedule = [&](double) {
    Schedule schedule = schedule_of(next->size_bytes, next->most_chunks).schedule;
    ++next;
    messages += messages_of(schedule);
    return schedule;
  };
  return run_schedules(hosts, sizes_bytes, next_schedule, [&](int from, int to) { return latencies_s.at({from, to}); });
}

} // namespace

SimulatedTimes simulate_class_schedules(const std::vector<double>& sizes_bytes, const ClassScheduleOf& schedule_of) {
  SimulatedTimes simulated;
  if (sizes_bytes.empty()) return simulated;
  start_simgrid();
  const auto runs = runs_of(sizes_bytes, schedule_of);
  simulated.times_s = run_chunks(runs, schedule_of, simulated.messages);
  std::size_t half = sizes_bytes.size(); // number of the run with fewer chunks
  for (std::size_t i = 0; i < sizes_bytes.size(); ++i) {
    const int chunks = schedule_of(sizes_bytes[i], 1).chunks;
    if (chunks <= most_chunks_run) continue;
    const double chunk_s = (simulated.times_s[i] - simulated.times_s[half++]) / (most_chunks_run - chunks_to_fill);
    simulated.times_s[i] += (chunks - most_chunks_run) * chunk_s;
  }
  simulated.times_s.resize(sizes_bytes.size());
  return simulated;
}

} // namespace ddlsim
