#include "tests/fake_cuda/meeting.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <poll.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace fake_cuda {
namespace {

constexpr auto longest_wait = std::chrono::seconds(60);
constexpr auto poll_pause = std::chrono::milliseconds(5);

using HostClock = std::chrono::steady_clock;

struct Address {
  sockaddr_un name{};
  socklen_t length = 0;
};

/// A name that begins with a zero byte is in no folder.
Address address_of(const std::string& name) {
  Address address;
  address.name.sun_family = AF_UNIX;
  const std::size_t count = std::min(name.size(), sizeof address.name.sun_path - 1);
  std::memcpy(address.name.sun_path + 1, name.data(), count);
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + count);
  return address;
}

const sockaddr* generic(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.name); // NOLINT: what the calls take
}

[[noreturn]] void fail(const std::string& what) {
  throw MeetingError{MeetingError::Cause::system, what + ": " + std::strerror(errno)};
}

[[noreturn]] void gone() {
  throw MeetingError{MeetingError::Cause::peer_is_gone, "remote process exited or there was a network error"};
}

void send_all(int socket, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t now = ::send(socket, at, bytes, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) gone();
    at += now;
    bytes -= static_cast<std::size_t>(now);
  }
}

void receive_all(int socket, void* data, std::size_t bytes) {
  auto* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t now = ::recv(socket, at, bytes, 0);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) gone();
    at += now;
    bytes -= static_cast<std::size_t>(now);
  }
}

void send_floats(int socket, const std::vector<float>& values) {
  const std::uint64_t count = values.size();
  send_all(socket, &count, sizeof count);
  send_all(socket, values.data(), count * sizeof(float));
}

std::vector<float> receive_floats(int socket) {
  std::uint64_t count = 0;
  receive_all(socket, &count, sizeof count);
  std::vector<float> values(count);
  receive_all(socket, values.data(), count * sizeof(float));
  return values;
}

void send_text(int socket, const std::string& text) {
  const std::uint64_t length = text.size();
  send_all(socket, &length, sizeof length);
  send_all(socket, text.data(), length);
}

std::string receive_text(int socket) {
  std::uint64_t length = 0;
  receive_all(socket, &length, sizeof length);
  std::string text(length, ' ');
  receive_all(socket, text.data(), length);
  return text;
}

/// "" or what is wrong; "" from rank 0 means go on.
void hear_leave_to_go_on(int socket) {
  const std::string words = receive_text(socket);
  if (!words.empty()) throw MeetingError{MeetingError::Cause::disagreement, words};
}

std::string text_of(const Call& call) {
  constexpr const char* names[] = {"all-reduce", "reduce-scatter", "all-gather", "broadcast"};
  return fmt::format("{} of {} floats, root {}, call {}", names[static_cast<std::size_t>(call.kind)], call.count,
                     call.root, call.number);
}

struct Introduction {
  std::int32_t rank = 0;
  RankDevice own;
};

bool are_one(const RankDevice& one, const RankDevice& other) {
  return one.place == other.place && one.host_id == other.host_id;
}

std::vector<float> sum(const std::vector<std::vector<float>>& given) {
  std::vector<float> total = given.front();
  for (std::size_t rank = 1; rank < given.size(); ++rank) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += given[rank][i];
  }
  return total;
}

/// Every rank's result. Sums in the order of ranks.
std::vector<std::vector<float>> results_of(const Call& call, const std::vector<std::vector<float>>& given) {
  if (call.kind == Kind::broadcast) return {given.size(), given.at(static_cast<std::size_t>(call.root))};
  if (call.kind == Kind::all_reduce) return {given.size(), sum(given)};
  std::vector<float> joined;
  if (call.kind == Kind::all_gather) {
    for (const auto& one : given) joined.insert(joined.end(), one.begin(), one.end());
    return {given.size(), joined};
  }
  joined = sum(given);
  const auto share = static_cast<std::ptrdiff_t>(joined.size() / given.size());
  std::vector<std::vector<float>> shares;
  for (auto first = joined.begin(); first != joined.end(); first += share) shares.emplace_back(first, first + share);
  return shares;
}

} // namespace

Meeting::Meeting(const std::string& name, int rank, int ranks, const RankDevice& own) : rank_(rank), ranks_(ranks) {
  try {
    if (rank == 0) {
      listen_for_all(name, own);
    } else {
      join_first(name, own);
    }
  } catch (...) {
    close_all();
    throw;
  }
}

Meeting::~Meeting() {
  close_all();
}

void Meeting::close_all() {
  for (const int socket : sockets_) ::close(socket);
}

void Meeting::leave() {
  for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
}

void Meeting::listen_for_all(const std::string& name, const RankDevice& own) {
  const int door = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const Address address = address_of(name);
  if (door < 0 || ::bind(door, generic(address), address.length) != 0 || ::listen(door, ranks_) != 0) fail("no socket");
  sockets_.assign(static_cast<std::size_t>(ranks_) - 1, -1);
  std::vector<RankDevice> devices = {own};
  for (int come = 1; come < ranks_; ++come) {
    pollfd waiting{door, POLLIN, 0};
    const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(longest_wait);
    if (::poll(&waiting, 1, static_cast<int>(limit.count())) != 1) fail("not all ranks came");
    const int socket = ::accept4(door, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) fail("a rank could not come");
    Introduction other;
    receive_all(socket, &other, sizeof other);
    sockets_.at(static_cast<std::size_t>(other.rank) - 1) = socket;
    devices.push_back(other.own);
  }
  ::close(door);
  for (auto one = devices.begin(); one != devices.end(); ++one) {
    if (std::any_of(devices.begin(), one, [&](const RankDevice& other) { return are_one(*one, other); }))
      refuse(fmt::format("two ranks use GPU {} of this host", one->device));
  }
  for (const int socket : sockets_) send_text(socket, "");
}

void Meeting::join_first(const std::string& name, const RankDevice& own) {
  const Address address = address_of(name);
  const auto limit = HostClock::now() + longest_wait;
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) fail("no socket");
  sockets_.push_back(socket);
  while (::connect(socket, generic(address), address.length) != 0) { // rank 0 may be late
    if (HostClock::now() > limit) fail("rank 0 did not come");
    std::this_thread::sleep_for(poll_pause);
  }
  const Introduction introduction{rank_, own};
  send_all(socket, &introduction, sizeof introduction);
  hear_leave_to_go_on(socket);
}

void Meeting::refuse(const std::string& words) {
  for (const int socket : sockets_) send_text(socket, words);
  throw MeetingError{MeetingError::Cause::disagreement, words};
}

std::vector<float> Meeting::lead(const Call& call, std::vector<float> own) {
  std::vector<std::vector<float>> given = {std::move(own)};
  std::string wrong;
  for (const int socket : sockets_) {
    Call other;
    receive_all(socket, &other, sizeof other);
    given.push_back(receive_floats(socket));
    if (wrong.empty() && text_of(other) != text_of(call)) {
      wrong = fmt::format("rank {} asks for {}, rank 0 for {}", given.size() - 1, text_of(other), text_of(call));
    }
  }
  if (!wrong.empty()) refuse(wrong);
  const auto results = results_of(call, given);
  for (std::size_t rank = 1; rank < results.size(); ++rank) {
    send_text(sockets_[rank - 1], "");
    send_floats(sockets_[rank - 1], results[rank]);
  }
  return results[0];
}

std::vector<float> Meeting::exchange(const Call& call, std::vector<float> own) {
  if (rank_ == 0) return lead(call, std::move(own));
  send_all(sockets_[0], &call, sizeof call);
  send_floats(sockets_[0], own);
  hear_leave_to_go_on(sockets_[0]);
  return receive_floats(sockets_[0]);
}

} // namespace fake_cuda
