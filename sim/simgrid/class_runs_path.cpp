#include "sim/simgrid/class_runs.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <map>
#include <string>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// A message and the time when it has passed.
struct Passing {
  const PathMessage* message = nullptr;
  double* passed_s = nullptr;
};

/// Creates the sender and the receiver of one path, with the path's link between them.
void create_path(s4u::NetZone& zone, const std::string& name, const std::vector<Passing>& queue, double rate_Bps) {
  constexpr double idle_flops = 1; // no host computes here
  s4u::Host* from = zone.create_host(name + "-from", idle_flops);
  s4u::Host* to = zone.create_host(name + "-to", idle_flops);
  zone.add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr,
                 {s4u::LinkInRoute(make_link(zone, name, rate_Bps))}, false);
  s4u::Mailbox* mailbox = s4u::Mailbox::by_name(name);
  s4u::Actor::create("sender", from, [&queue, mailbox] {
    for (const Passing& passing : queue) {
      s4u::this_actor::sleep_until(passing.message->ready_s);
      mailbox->put(no_content(), to_units(passing.message->size_bytes));
      *passing.passed_s = s4u::Engine::get_clock();
    }
  });
  s4u::Actor::create("receiver", to, [&queue, mailbox] {
    for (std::size_t i = 0; i < queue.size(); ++i) mailbox->get<int>();
  });
}

} // namespace

SimulatedTimes simulate_paths(const std::vector<PathMessage>& messages, double rate_Bps) {
  start_simgrid();
  SimulatedTimes simulated{std::vector<double>(messages.size()), static_cast<double>(messages.size())};
  std::map<std::size_t, std::vector<Passing>> queues;
  for (std::size_t i = 0; i < messages.size(); ++i)
    queues[messages[i].path].push_back({&messages[i], &simulated.times_s[i]});
  s4u::NetZone& zone = make_full_zone("paths");
  for (const auto& [path, queue] : queues) create_path(zone, "path" + std::to_string(path), queue, rate_Bps);
  zone.seal();
  s4u::Engine::get_instance()->run();
  return simulated;
}

} // namespace ddlsim
