#include "sim/simgrid/schedule_run.hpp"

#include "sim/network/machine.hpp"
#include "sim/simgrid/links.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

s4u::Mailbox& mailbox_of(int from, int to, int lane) {
  return *s4u::Mailbox::by_name(std::to_string(from) + ">" + std::to_string(to) + "/" + std::to_string(lane));
}

void run_step(int rank, const Step& step, const LatencyOf& latency_s) {
  int* content = nullptr;
  std::vector<s4u::CommPtr> sent;
  std::vector<s4u::CommPtr> received;
  for (const Send& send : step.sends) {
    s4u::Mailbox& mailbox = mailbox_of(rank, send.to, send.lane);
    if (send.is_awaited)
      sent.push_back(mailbox.put_async(no_content(), to_units(send.size_bytes)));
    else
      mailbox.put_init(no_content(), to_units(send.size_bytes))->detach();
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
    // The message may have come while this rank was still sending.
    end_s = std::max(end_s, received[i]->get_finish_time() + latency_s(step.receives[i].from, rank));
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

} // namespace

double run_schedule(const std::vector<s4u::Host*>& hosts, const Schedule& schedule, const LatencyOf& latency_s) {
  const double start_s = s4u::Engine::get_clock();
  double end_s = start_s;
  std::size_t done = 0;
  for (const Program& program : schedule.programs) {
    const s4u::ActorPtr actor =
        s4u::Actor::create("rank", hosts[at(program.rank)], [&latency_s, &program, &end_s, &done] {
          for (const Step& step : program.steps) {
            run_step(program.rank, step, latency_s);
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

} // namespace ddlsim
