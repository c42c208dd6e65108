#include "tests/golden/message_trace.hpp"

#include "sim/base/child_process.hpp"
#include "sim/simgrid/full.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

constexpr std::size_t values_per_message = 4;

/// Hosts are created in the order of their numbers.
int number_of(const s4u::Host& host) {
  return static_cast<int>(host.get_netpoint()->id());
}

/// SimGrid reports each end of a message when that end finds it complete, in no fixed order.
struct SentMessage {
  MessageSpan span;
  bool sender = false;
  bool receiver = false;
};

struct Log {
  void note(const s4u::Comm& message) {
    SentMessage& half = open[message.get_impl()];
    const bool receives = message.get_dst_data() != nullptr;
    (receives ? half.receiver : half.sender) = true;
    (receives ? half.span.to : half.span.from) = number_of(*s4u::Actor::self()->get_host());
    half.span.start_s = message.get_start_time();
    half.span.end_s = message.get_finish_time();
    if (!half.sender || !half.receiver) return;
    for (const double value :
         {static_cast<double>(half.span.from), static_cast<double>(half.span.to), half.span.start_s, half.span.end_s})
      values.push_back(value);
    open.erase(message.get_impl());
  }

  std::map<const void*, SentMessage> open;
  std::vector<double> values;
};

/// Numbers that a child computes.
std::vector<double> values_of(const std::function<std::vector<double>()>& work) {
  ChildProcess child([&] {
    const std::vector<double> values = work();
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  });
  const std::string bytes = child.finish();
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<MessageSpan> messages_of(const std::function<void()>& simulate) {
  const std::vector<double> values = values_of([&] {
    Log log;
    s4u::Activity::on_completion_cb([&log](const s4u::Activity& activity) {
      if (const auto* message = dynamic_cast<const s4u::Comm*>(&activity)) log.note(*message);
    });
    simulate();
    return log.values;
  });
  std::vector<MessageSpan> messages;
  for (std::size_t i = 0; i < values.size(); i += values_per_message) {
    messages.push_back({static_cast<int>(values[i]), static_cast<int>(values[i + 1]), values[i + 2], values[i + 3]});
  }
  std::sort(messages.begin(), messages.end(), [](const MessageSpan& one, const MessageSpan& other) {
    return std::tie(one.start_s, one.from, one.to) < std::tie(other.start_s, other.from, other.to);
  });
  return messages;
}

const NarrowedLinks* in_force = nullptr;

/// SimGrid lets nobody take a callback back, so there is one for all.
void log_every_message() {
  static const bool asked = [] {
    simgrid::s4u::Link::on_creation_cb([](simgrid::s4u::Link& link) {
      if (in_force == nullptr || link.get_name().rfind(in_force->beginning(), 0) != 0) return;
      if (link.get_property("narrowed") != nullptr) return; // SimGrid may tell of a link twice
      link.set_property("narrowed", "once");
      link.set_bandwidth(in_force->share() * link.get_bandwidth());
    });
    return true;
  }();
  static_cast<void>(asked);
}

} // namespace

std::vector<MessageSpan> ring_messages(const Machine& machine, double size_bytes) {
  return messages_of([&] { simulate_rings(machine, {size_bytes}); });
}

std::vector<MessageSpan> server_messages(const Machine& machine, const ServerMachine& servers,
                                         const ServerExchange& exchange) {
  return messages_of([&] { simulate_server_exchange(machine, servers, exchange); });
}

NarrowedLinks::NarrowedLinks(std::string beginning, double share) : beginning_(std::move(beginning)), share_(share) {
  log_every_message();
  in_force = this;
  stop_fork_server(); // the next one knows
}

NarrowedLinks::~NarrowedLinks() {
  stop_fork_server();
  in_force = nullptr;
}

} // namespace ddlsim
