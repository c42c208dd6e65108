#include "sim/base/child_process.hpp"
#include "sim/base/descriptor.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace ddlsim {
namespace {

using Work = Numbers (*)(const Numbers&);

/// A request to the server: a function, which has the same address in the server, and two file descriptors.
struct Call {
  Work work = nullptr;
  int connection = -1; ///< socket that brings the request and returns the answer
  int narration = -1;  ///< file that takes what the work prints
};
constexpr std::size_t descriptors_in_call = 2;

constexpr char went_well = '0';
constexpr char threw = '1';

[[noreturn]] void refuse() {
  throw std::system_error(errno, std::generic_category(), "fork server");
}

std::array<Descriptor, 2> connect_two(int type) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) refuse();
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

union CallDescriptors {
  char bytes[CMSG_SPACE(descriptors_in_call * sizeof(int))];
  cmsghdr aligned;
};

/// Makes a message of one part, with space for the file descriptors that are sent with it.
msghdr message_with(iovec& part, CallDescriptors& room) {
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room.bytes;
  message.msg_controllen = sizeof room.bytes;
  return message;
}

void send_call(int server, const Call& call) {
  Work work = call.work;
  iovec part{&work, sizeof work};
  CallDescriptors room{};
  msghdr message = message_with(part, room);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(descriptors_in_call * sizeof(int));
  const int descriptors[] = {call.connection, call.narration};
  std::memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
  while (::sendmsg(server, &message, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) refuse();
}

/// Receives a call. Its `work` is null when no process is left that could call.
Call receive_call(int calls) {
  Call call;
  iovec part{&call.work, sizeof call.work};
  CallDescriptors room{};
  msghdr message = message_with(part, room);
  ssize_t got = 0;
  while ((got = ::recvmsg(calls, &message, MSG_CMSG_CLOEXEC)) < 0)
    if (errno != EINTR) return {};
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (got == 0 || header == nullptr) return {};
  int descriptors[descriptors_in_call] = {};
  std::memcpy(descriptors, CMSG_DATA(header), sizeof descriptors);
  call.connection = descriptors[0];
  call.narration = descriptors[1];
  return call;
}

std::string to_bytes(const Numbers& numbers) {
  std::string bytes(numbers.size() * sizeof(double), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

Numbers to_numbers(std::string_view bytes) {
  Numbers numbers(bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
  return numbers;
}

/// Runs the call in the fork and never returns. It ends with _exit, because exit handlers and static objects belong to
/// the process that started the server.
[[noreturn]] void be_the_fork(const Call& call) {
  ::signal(SIGCHLD, SIG_DFL);
  ::dup2(call.narration, STDOUT_FILENO);
  ::dup2(call.narration, STDERR_FILENO);
  std::string answer;
  try {
    answer = went_well + to_bytes(call.work(to_numbers(read_all(call.connection))));
  } catch (const std::exception& error) {
    answer = threw + std::string(error.what());
  }
  try {
    write_all(call.connection, answer.data(), answer.size());
    ::shutdown(call.connection, SHUT_RDWR); // closes the connection even if another process has inherited an end
  } catch (const std::exception&) {
    ::_exit(1); // the caller no longer listens
  }
  ::_exit(0);
}

/// Serves calls, and closes every descriptor except its socket, because an open copy would hide that the other end was
/// closed.
[[noreturn]] void serve(int calls) {
  constexpr int kept = 3;
  ::dup2(calls, kept);
  ::close_range(kept + 1, ~0U, 0);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, standard);
  ::signal(SIGCHLD, SIG_IGN); // ended forks do not become zombies
  while (true) {
    const Call call = receive_call(kept);
    if (call.work == nullptr) ::_exit(0);
    if (::fork() == 0) be_the_fork(call);
    ::close(call.connection);
    ::close(call.narration);
  }
}

/// The fork server of this process.
struct Server {
  std::mutex changing;
  Descriptor calls;
};

Server& server() {
  static Server one;
  return one;
}

int calls_of_server() {
  Server& one = server();
  const std::lock_guard<std::mutex> lock(one.changing);
  if (one.calls.number() >= 0) return one.calls.number();
  auto [ours, theirs] = connect_two(SOCK_SEQPACKET);
  const pid_t child = ::fork();
  if (child < 0) refuse();
  if (child == 0) serve(theirs.number());
  one.calls = std::move(ours);
  return one.calls.number();
}

} // namespace

void start_fork_server() {
  calls_of_server();
}

void stop_fork_server() {
  Server& one = server();
  const std::lock_guard<std::mutex> lock(one.changing);
  one.calls.close();
}

namespace {

constexpr const char* nothing_said = "it was killed, by a person or for want of memory";

/// The whole answer of the fork, or the end of what it printed where there is no answer.
struct Answer {
  std::string bytes;
  std::string words;
};

Answer answer_of_fork(Work work, const Numbers& request) {
  auto [ours, theirs] = connect_two(SOCK_STREAM);
  const Descriptor narration = make_narration();
  send_call(calls_of_server(), {work, theirs.number(), narration.number()});
  theirs.close();
  const std::string bytes = to_bytes(request);
  write_all(ours.number(), bytes.data(), bytes.size());
  ::shutdown(ours.number(), SHUT_WR);
  Answer answer{read_all(ours.number()), ""};
  if (answer.bytes.empty()) answer.words = last_words(narration.number());
  return answer;
}

/// Whether the error means that the server has ended, or the fork that got the request.
bool is_of_a_lost_process(const std::system_error& error) {
  return error.code() == std::errc::broken_pipe || error.code() == std::errc::connection_reset;
}

} // namespace

Numbers run_in_fork(Work work, const Numbers& request) {
  Answer answer;
  try {
    answer = answer_of_fork(work, request);
  } catch (const std::system_error& error) {
    if (!is_of_a_lost_process(error)) throw;
    answer = {};
  }
  const std::string_view bytes = answer.bytes;
  if (!bytes.empty() && bytes.front() == went_well) return to_numbers(bytes.substr(1));
  std::string why = bytes.empty() ? answer.words : std::string(bytes.substr(1));
  if (why.empty()) why = nothing_said;
  throw std::runtime_error("the simulation process ended early: " + why);
}

} // namespace ddlsim
