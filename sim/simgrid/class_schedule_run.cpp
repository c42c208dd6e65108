#include "sim/network/machine.hpp"
#include "sim/simgrid/by_symmetry.hpp"
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

/// A message stands for as many as a link is listed in its route: SimGrid counts it that often against the link's rate.
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

} // namespace

SimulatedTimes simulate_class_schedules(const std::vector<double>& sizes_bytes,
                                        const std::function<ClassSchedule(double size_bytes)>& schedule_of) {
  SimulatedTimes simulated;
  if (sizes_bytes.empty()) return simulated;
  start_simgrid();
  const ClassSchedule first = schedule_of(sizes_bytes.front());
  const std::vector<s4u::Host*> hosts = make_class_hosts(first);
  std::map<std::pair<int, int>, double> latencies_s;
  for (const MemberRoute& route : first.routes) latencies_s[{route.from, route.to}] = route.latency_s;
  const auto next_schedule = [&](double size_bytes) {
    Schedule schedule = schedule_of(size_bytes).schedule;
    simulated.messages += messages_of(schedule);
    return schedule;
  };
  simulated.times_s = run_schedules(hosts, sizes_bytes, next_schedule, [&](int from, int to) {
    return latencies_s.at({from, to});
  });
  return simulated;
}

} // namespace ddlsim
