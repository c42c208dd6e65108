#include "sim/simgrid/ring_run.hpp"

#include "sim/network/machine.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <stdexcept>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// Records, for one rank, when it had sent step `step` and had received each of the last `in_flight` messages up to
/// that step.
class PhaseTimes {
public:
  PhaseTimes(int step, int in_flight, double* first_s) : step_(step), in_flight_(in_flight), first_s_(first_s) {}

  void sent(int step, double now_s) {
    if (step == step_) std::fill_n(first_s_, in_flight_, now_s);
  }

  void taken(int step, double here_s) {
    const int place = step - (step_ - in_flight_) - 1;
    if (place < 0 || place >= in_flight_) return;
    first_s_[place] = std::max(first_s_[place], here_s);
  }

private:
  int step_;
  int in_flight_;
  double* first_s_;
};

/// Receives the next message, and returns when it has arrived.
double take_message(const RingRank& self) {
  int* content = nullptr;
  const s4u::CommPtr message = self.inbox->get_async<int>(&content);
  message->wait();
  // The message may have arrived while this rank was still sending.
  const double here_s = message->get_finish_time() + self.delay_s;
  if (here_s <= s4u::Engine::get_clock()) return here_s;
  s4u::this_actor::sleep_until(here_s);
  return s4u::Engine::get_clock();
}

/// Runs one rank's part of a phase: it sends the message that it has, then receives the next one. The mailbox has a
/// permanent receiver. So a message flows as soon as its sender has it and the edge is free, even while this rank is
/// still sending or waiting.
void run_phase(const RingRank& self, s4u::Mailbox& next, const RingSteps& steps, std::uint64_t message_units,
               PhaseTimes early, PhaseTimes end) {
  for (int step = 1; step <= steps.steps + steps.in_flight; ++step) {
    const int came = step - steps.in_flight;
    if (came > 0) {
      const double here_s = take_message(self);
      early.taken(came, here_s);
      end.taken(came, here_s);
    }
    if (step > steps.steps) continue;
    next.put(no_content(), message_units);
    early.sent(step, s4u::Engine::get_clock());
    end.sent(step, s4u::Engine::get_clock());
  }
}

} // namespace

std::vector<RingRank> make_ring_ranks(s4u::NetZone& zone, const std::string& name, const std::vector<PeriodEdge>& edges,
                                      const std::vector<SharedRoute>& shared_routes) {
  constexpr double idle_flops = 1; // no rank computes here
  std::vector<RingRank> ranks;
  for (std::size_t rank = 0; rank < edges.size(); ++rank) {
    const std::string own = name + std::to_string(rank);
    std::vector<s4u::LinkInRoute> out;
    for (const PeriodLink& link : edges[rank].links)
      out.emplace_back(make_link(zone, link.name + ("-" + own), link.rate_Bps));
    if (!shared_routes.empty())
      for (auto* link : shared_routes[rank]) out.emplace_back(link);
    s4u::Host* host = zone.create_host(own, idle_flops);
    zone.add_route(host->get_netpoint(), nullptr, nullptr, nullptr, out, false);
    zone.add_route(nullptr, host->get_netpoint(), nullptr, nullptr, {}, false);
    const std::size_t before = (rank + edges.size() - 1) % edges.size();
    ranks.push_back({host, s4u::Mailbox::by_name(own), edges[before].latency_s});
  }
  return ranks;
}

std::vector<RingRun> run_ring(const std::vector<RingRank>& ranks, const RingSteps& steps, double message_bytes) {
  const auto in_flight = static_cast<std::size_t>(steps.in_flight);
  const std::uint64_t units = to_units(message_bytes);
  const double start_s = s4u::Engine::get_clock();
  const std::vector<double> none(in_flight * ranks.size());
  std::vector<RingRun> phases(static_cast<std::size_t>(steps.phases), {none, none});
  std::size_t done = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RingRank& self = ranks[rank];
    s4u::Mailbox& next = *ranks[(rank + 1) % ranks.size()].inbox;
    s4u::Actor::create("rank", self.host, [&, rank] {
      self.inbox->set_receiver(s4u::Actor::self());
      for (RingRun& phase : phases)
        run_phase(self, next, steps, units, {steps.early, steps.in_flight, &phase.early_s[in_flight * rank]},
                  {steps.steps, steps.in_flight, &phase.end_s[in_flight * rank]});
      self.inbox->set_receiver(nullptr);
      ++done;
    });
  }
  s4u::Engine::get_instance()->run();
  if (done != ranks.size()) throw std::logic_error("ring: ranks were left waiting");
  for (RingRun& phase : phases) {
    for (double& time_s : phase.early_s) time_s -= start_s;
    for (double& time_s : phase.end_s) time_s -= start_s;
  }
  return phases;
}

} // namespace ddlsim
