#include "sim/collective/links_in_use.hpp"
#include "sim/simgrid/full.hpp"
#include "sim/simgrid/links.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// One link for each rank, node or leaf and direction; kinds that no message passes are empty.
struct RankLinks {
  Links port_out, port_in, nic_out, nic_in, leaf_up, leaf_down;
};

RankLinks make_rank_links(s4u::NetZone& zone, const Machine& machine) {
  RankLinks fabric;
  if (ranks_of_full_node(machine) > 1) {
    fabric.port_out = make_links(zone, "port-out", machine.ranks, machine.intra_Bps);
    fabric.port_in = make_links(zone, "port-in", machine.ranks, machine.intra_Bps);
  }
  if (machine.nodes() > 1) {
    fabric.nic_out = make_nics(zone, "nic-out", machine.nodes(), machine);
    fabric.nic_in = make_nics(zone, "nic-in", machine.nodes(), machine);
  }
  if (has_leaves(machine)) {
    const int leaves = (machine.nodes() + machine.nodes_per_leaf - 1) / machine.nodes_per_leaf;
    fabric.leaf_up = make_links(zone, "leaf-up", leaves, machine.uplink_Bps);
    fabric.leaf_down = make_links(zone, "leaf-down", leaves, machine.uplink_Bps);
  }
  return fabric;
}

std::vector<s4u::LinkInRoute> route_of(const RankLinks& fabric, const Machine& machine, int from, int to) {
  const int node_from = machine.node_of(from);
  const int node_to = machine.node_of(to);
  std::vector<s4u::LinkInRoute> route;
  if (node_from == node_to) {
    route.emplace_back(fabric.port_out[at(from)]);
    route.emplace_back(fabric.port_in[at(to)]);
    return route;
  }
  route.emplace_back(fabric.nic_out[at(node_from)]);
  if (has_leaves(machine)) {
    const int leaf_from = node_from / machine.nodes_per_leaf;
    const int leaf_to = node_to / machine.nodes_per_leaf;
    if (leaf_from != leaf_to) {
      route.emplace_back(fabric.leaf_up[at(leaf_from)]);
      route.emplace_back(fabric.leaf_down[at(leaf_to)]);
    }
  }
  route.emplace_back(fabric.nic_in[at(node_to)]);
  return route;
}

std::set<std::pair<int, int>> pairs_that_talk(const Schedule& schedule) {
  std::set<std::pair<int, int>> pairs;
  for (const Program& program : schedule.programs) {
    for (const Step& step : program.steps) {
      for (const Send& send : step.sends) {
        pairs.emplace(program.rank, send.to);
      }
    }
  }
  return pairs;
}

std::vector<s4u::Host*> make_hosts(const Machine& machine, const Schedule& schedule) {
  constexpr double idle_flops = 1; // no rank computes here
  s4u::NetZone& zone = *s4u::create_full_zone("collective");
  std::vector<s4u::Host*> hosts;
  for (int rank = 0; rank < machine.ranks; ++rank) {
    hosts.push_back(zone.create_host(std::to_string(rank), idle_flops));
  }
  const RankLinks fabric = make_rank_links(zone, machine);
  for (const auto& [from, to] : pairs_that_talk(schedule)) {
    zone.add_route(hosts[at(from)]->get_netpoint(), hosts[at(to)]->get_netpoint(), nullptr, nullptr,
                   route_of(fabric, machine, from, to), false);
  }
  zone.seal();
  return hosts;
}

s4u::Mailbox& mailbox_of(int from, int to, int lane) {
  return *s4u::Mailbox::by_name(std::to_string(from) + ">" + std::to_string(to) + "/" + std::to_string(lane));
}

void run_step(const Machine& machine, int rank, const Step& step) {
  int* content = nullptr;
  std::vector<s4u::CommPtr> sent;
  std::vector<s4u::CommPtr> received;
  for (const Send& send : step.sends) {
    sent.push_back(mailbox_of(rank, send.to, send.lane).put_async(no_content(), to_units(send.size_bytes)));
  }
  for (const Receive& receive : step.receives) {
    received.push_back(mailbox_of(receive.from, rank, receive.lane).get_async<int>(&content));
  }
  double end_s = 0;
  for (const s4u::CommPtr& message : sent) {
    message->wait();
  }
  for (std::size_t i = 0; i < received.size(); ++i) {
    received[i]->wait();
    const bool inside = machine.node_of(step.receives[i].from) == machine.node_of(rank);
    // The message may have come while this rank was still sending.
    end_s =
        std::max(end_s, received[i]->get_finish_time() + (inside ? machine.intra_latency_s : machine.net_latency_s));
  }
  s4u::this_actor::sleep_until(end_s);
}

/// With a permanent receiver a message flows although its receiver has not asked for it yet.
void give_room(const Program& program, const s4u::ActorPtr& receiver) {
  std::set<s4u::Mailbox*> mailboxes;
  for (const Step& step : program.steps) {
    for (const Receive& receive : step.receives) {
      mailboxes.insert(&mailbox_of(receive.from, program.rank, receive.lane));
    }
  }
  for (s4u::Mailbox* mailbox : mailboxes) {
    mailbox->set_receiver(receiver);
  }
}

double simulate_schedule(const Machine& machine, const std::vector<s4u::Host*>& hosts, const Schedule& schedule) {
  const double start_s = s4u::Engine::get_clock();
  double end_s = start_s;
  std::size_t done = 0;
  for (const Program& program : schedule.programs) {
    const s4u::ActorPtr actor =
        s4u::Actor::create("rank", hosts[at(program.rank)], [&machine, &program, &end_s, &done] {
          for (const Step& step : program.steps) {
            run_step(machine, program.rank, step);
          }
          end_s = std::max(end_s, s4u::Engine::get_clock());
          ++done;
        });
    if (schedule.receiver_has_room) give_room(program, actor);
  }
  s4u::Engine::get_instance()->run();
  if (done != schedule.programs.size()) throw std::logic_error("collective: ranks were left waiting");
  return end_s - start_s;
}

} // namespace

std::vector<double> simulate_schedules(const Machine& machine, const std::vector<double>& sizes_bytes,
                                       const ScheduleOfSize& schedule_of) {
  std::vector<double> times_s;
  if (sizes_bytes.empty()) return times_s;
  start_simgrid();
  const std::vector<s4u::Host*> hosts = make_hosts(machine, schedule_of(sizes_bytes.front()));
  for (const double size_bytes : sizes_bytes) {
    times_s.push_back(simulate_schedule(machine, hosts, schedule_of(size_bytes)));
  }
  return times_s;
}

} // namespace ddlsim
