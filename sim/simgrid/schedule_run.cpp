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
#include <unordered_map>
#include <vector>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// Where a lane between two ranks delivers. SimGrid finds a mailbox by its name: each name is written and found once, not
/// for every message.
class Mailboxes {
public:
  s4u::Mailbox& of(int from, int to, int lane) {
    auto& known = known_[{from, to, lane}];
    if (known == nullptr)
      known = s4u::Mailbox::by_name(std::to_string(from) + ">" + std::to_string(to) + "/" + std::to_string(lane));
    return *known;
  }

private:
  struct Key {
    int from, to, lane;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      constexpr std::size_t most_ranks = std::size_t{1} << 24; // keeps ranks and lanes apart
      constexpr std::size_t most_lanes = 16;
      return (at(key.from) * most_ranks + at(key.to)) * most_lanes + at(key.lane);
    }
  };
  std::unordered_map<Key, s4u::Mailbox*, Hash> known_;
};

/// Messages of a step, kept between steps for their memory.
struct UnderWay {
  std::vector<s4u::CommPtr> sent;
  std::vector<s4u::CommPtr> received;
};

void run_step(int rank, const Step& step, const LatencyOf& latency_s, Mailboxes& mailboxes, UnderWay& messages) {
  int* content = nullptr;
  for (const Send& send : step.sends) {
    s4u::Mailbox& mailbox = mailboxes.of(rank, send.to, send.lane);
    if (send.is_awaited)
      messages.sent.push_back(mailbox.put_async(no_content(), to_units(send.size_bytes)));
    else
      mailbox.put_init(no_content(), to_units(send.size_bytes))->detach();
  }
  for (const Receive& receive : step.receives)
    messages.received.push_back(mailboxes.of(receive.from, rank, receive.lane).get_async<int>(&content));
  double end_s = 0;
  for (const s4u::CommPtr& message : messages.sent) message->wait();
  for (std::size_t i = 0; i < messages.received.size(); ++i) {
    messages.received[i]->wait();
    // The message may have come while this rank was still sending.
    end_s = std::max(end_s, messages.received[i]->get_finish_time() + latency_s(step.receives[i].from, rank));
  }
  messages.sent.clear();
  messages.received.clear();
  s4u::this_actor::sleep_until(end_s);
}

/// With a permanent receiver a message flows although its receiver has not asked for it yet.
void give_room(const Program& program, const s4u::ActorPtr& receiver, Mailboxes& mailboxes) {
  std::set<s4u::Mailbox*> own;
  for (const Step& step : program.steps) {
    for (const Receive& receive : step.receives) {
      own.insert(&mailboxes.of(receive.from, program.rank, receive.lane));
    }
  }
  for (s4u::Mailbox* mailbox : own) {
    mailbox->set_receiver(receiver);
  }
}

} // namespace

double run_schedule(const std::vector<s4u::Host*>& hosts, const Schedule& schedule, const LatencyOf& latency_s) {
  const double start_s = s4u::Engine::get_clock();
  double end_s = start_s;
  std::size_t done = 0;
  Mailboxes mailboxes;
  for (const Program& program : schedule.programs) {
    const s4u::ActorPtr actor =
        s4u::Actor::create("rank", hosts[at(program.rank)], [&latency_s, &program, &end_s, &done, &mailboxes] {
          UnderWay messages;
          for (const Step& step : program.steps) {
            run_step(program.rank, step, latency_s, mailboxes, messages);
          }
          end_s = std::max(end_s, s4u::Engine::get_clock());
          ++done;
        });
    if (schedule.receiver_has_room) give_room(program, actor, mailboxes);
  }
  s4u::Engine::get_instance()->run();
  if (done != schedule.programs.size()) throw std::logic_error("collective: ranks were left waiting");
  return end_s - start_s;
}

} // namespace ddlsim
