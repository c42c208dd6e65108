#include "sim/network/machine.hpp"
#include "sim/simgrid/full.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// The mailbox of a program's messages to or from one peer on one lane.
struct Channel {
  int peer = 0;
  int lane = 0;
  s4u::Mailbox* mailbox = nullptr;
  double delay_s = 0; ///< delay of a message at delivery
};

/// The channels of one direction. SimGrid finds a mailbox by its name, so each name is built and looked up once, and
/// not for every message. A program uses its channels in turn, so the next one usually follows the last one in the
/// list.
class Channels {
public:
  template <class Open> const Channel& of(int peer, int lane, const Open& open) {
    for (std::size_t looked_at = 0; looked_at < channels_.size(); ++looked_at) {
      last_ = last_ + 1 < channels_.size() ? last_ + 1 : 0;
      if (channels_[last_].peer == peer && channels_[last_].lane == lane) return channels_[last_];
    }
    last_ = channels_.size();
    channels_.push_back(open());
    return channels_.back();
  }

private:
  std::vector<Channel> channels_;
  std::size_t last_ = 0;
};

Channel open_channel(int from, int to, int lane, int peer, const LatencyOf& latency_s) {
  return {peer, lane,
          s4u::Mailbox::by_name(std::to_string(from) + ">" + std::to_string(to) + "/" + std::to_string(lane)),
          latency_s(from, to)};
}

/// The state that all programs share: the schedule of the current size, and when each size was done.
struct Run {
  std::span<const double> sizes_bytes;
  const ScheduleOfSize& schedule_of;
  const LatencyOf& latency_s;
  Schedule schedule;
  s4u::BarrierPtr together;
  std::vector<double> ends_s;
  std::size_t done = 0; ///< number of programs that are done
};

/// Runs one program of a rank for all sizes.
class RankProgram {
public:
  RankProgram(Run& run, std::size_t number) : run_(run), number_(number), rank_(run.schedule.programs[number].rank) {}

  void run() {
    for (std::size_t size = 0; size < run_.sizes_bytes.size(); ++size) {
      if (size > 0) go_on_together(run_.sizes_bytes[size]);
      for (const Step& step : run_.schedule.programs[number_].steps) run_step(step);
      run_.ends_s[size] = std::max(run_.ends_s[size], s4u::Engine::get_clock());
    }
    ++run_.done;
  }

  /// Makes the mailbox's receiver permanent, so that a message flows before its receiver has requested it.
  void give_room(const s4u::ActorPtr& receiver) {
    std::set<s4u::Mailbox*> own;
    for (const Step& step : run_.schedule.programs[number_].steps)
      for (const Receive& receive : step.receives) own.insert(channel_from(receive).mailbox);
    for (s4u::Mailbox* mailbox : own) mailbox->set_receiver(receiver);
  }

private:
  const Channel& channel_to(const Send& send) {
    return to_.of(send.to, send.lane, [&] { return open_channel(rank_, send.to, send.lane, send.to, run_.latency_s); });
  }
  const Channel& channel_from(const Receive& receive) {
    return from_.of(receive.from, receive.lane,
                    [&] { return open_channel(receive.from, rank_, receive.lane, receive.from, run_.latency_s); });
  }

  /// Waits for all programs. The first one makes the next schedule, while all others wait.
  void go_on_together(double size_bytes) {
    run_.together->wait();
    if (number_ == 0) {
      const std::size_t programs = run_.schedule.programs.size();
      run_.schedule = run_.schedule_of(size_bytes);
      if (run_.schedule.programs.size() != programs)
        throw std::logic_error("collective: who talks depends on the size");
    }
    run_.together->wait();
  }

  void run_step(const Step& step) {
    int* content = nullptr;
    for (const Send& send : step.sends) {
      s4u::Mailbox& mailbox = *channel_to(send).mailbox;
      if (send.is_awaited)
        sent_.push_back(mailbox.put_async(no_content(), to_units(send.size_bytes)));
      else
        mailbox.put_init(no_content(), to_units(send.size_bytes))->detach();
    }
    for (const Receive& receive : step.receives) {
      const Channel& channel = channel_from(receive);
      received_.emplace_back(channel.mailbox->get_async<int>(&content), channel.delay_s);
    }
    double end_s = 0;
    for (const s4u::CommPtr& message : sent_) message->wait();
    for (const auto& [message, delay_s] : received_) {
      message->wait();
      // The message may have arrived while this rank was still sending.
      end_s = std::max(end_s, message->get_finish_time() + delay_s);
    }
    sent_.clear();
    received_.clear();
    s4u::this_actor::sleep_until(end_s);
  }

  Run& run_;
  std::size_t number_;
  int rank_;
  Channels to_;
  Channels from_;
  // The messages of a step, kept between steps to reuse their memory.
  std::vector<s4u::CommPtr> sent_;
  std::vector<std::pair<s4u::CommPtr, double>> received_; ///< each with its delay
};

/// Runs sizes whose schedules all have the same number of programs.
void run_alike(const std::vector<s4u::Host*>& hosts, Run& run, std::vector<double>& times_s) {
  double start_s = s4u::Engine::get_clock();
  run.schedule = run.schedule_of(run.sizes_bytes.front());
  run.ends_s.assign(run.sizes_bytes.size(), start_s);
  run.done = 0;
  const std::size_t programs = run.schedule.programs.size();
  if (programs > 0) run.together = s4u::Barrier::create(static_cast<unsigned>(programs));
  std::deque<RankProgram> all; // a deque, because it does not move its elements
  for (std::size_t number = 0; number < programs; ++number) {
    RankProgram& one = all.emplace_back(run, number);
    const auto actor = s4u::Actor::create("rank", hosts[at(run.schedule.programs[number].rank)], [&one] { one.run(); });
    if (run.schedule.receiver_has_room) one.give_room(actor);
  }
  s4u::Engine::get_instance()->run();
  if (run.done != programs) throw std::logic_error("collective: ranks were left waiting");
  for (const double end_s : run.ends_s) times_s.push_back(end_s - std::exchange(start_s, end_s));
}

} // namespace

std::vector<double> run_schedules(const std::vector<s4u::Host*>& hosts, const std::vector<double>& sizes_bytes,
                                  const ScheduleOfSize& schedule_of, const LatencyOf& latency_s) {
  std::vector<double> times_s;
  const std::span<const double> all(sizes_bytes);
  while (times_s.size() < all.size()) { // a schedule of size 0 may have no messages
    const auto left = all.subspan(times_s.size());
    const auto zero = std::find_if(left.begin(), left.end(), [](double bytes) { return !(bytes > 0); });
    const auto alike = std::max<std::size_t>(1, static_cast<std::size_t>(zero - left.begin()));
    Run run{left.first(alike), schedule_of, latency_s, {}, {}, {}};
    run_alike(hosts, run, times_s);
  }
  return times_s;
}

} // namespace ddlsim
