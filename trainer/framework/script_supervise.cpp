#include "sim/base/error.hpp"
#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/framework/free_ports.hpp"
#include "trainer/framework/network_place.hpp"
#include "trainer/framework/script.hpp"
#include "trainer/run_error.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <unistd.h>

namespace ddltrain {
namespace {

/// ports for worker, server, chief or scheduler, and meetings (trainer/frameworks/common/job.py)
constexpr int ports_a_rank = 4;
constexpr int done_tag = 1;
constexpr auto poll_every = std::chrono::milliseconds(20);
/// servers that end by themselves do so well within this time
constexpr auto server_patience = std::chrono::seconds(5);
constexpr int wrong_use = 2;
constexpr int no_program = 127; ///< a shell's exit status for "no such program"

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

struct ChildEnd {
  int status = 0; ///< status as waitpid() returns it
  double cpu_s = 0;
};

double seconds_of(const timeval& time) {
  constexpr double microsecond = 1e-6;
  return static_cast<double>(time.tv_sec) + microsecond * static_cast<double>(time.tv_usec);
}

/// Runs in the child, and becomes the script. It ends when this process does.
[[noreturn]] void become_script(const FrameworkScript& script, int error_file) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(error_file, STDERR_FILENO);
  std::vector<char*> words = {const_cast<char*>(script.python.c_str()),
                              const_cast<char*>(script.file.c_str())};                               // NOLINT
  for (const std::string& word : script.arguments) words.push_back(const_cast<char*>(word.c_str())); // NOLINT
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  ::_exit(no_program);
}

pid_t start(const FrameworkScript& script, int error_file) {
  const pid_t child = ::fork();
  if (child < 0) throw RunError(std::string("no process for ") + script.name + ": " + std::strerror(errno));
  if (child == 0) become_script(script, error_file);
  return child;
}

/// Returns how the child ended, if it has ended.
std::optional<ChildEnd> ended(pid_t child) {
  ChildEnd end;
  rusage usage{};
  if (::wait4(child, &end.status, WNOHANG, &usage) != child) return std::nullopt;
  end.cpu_s = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  return end;
}

ChildEnd wait_for(pid_t child) {
  for (;;) {
    if (const auto end = ended(child)) return *end;
    std::this_thread::sleep_for(poll_every);
  }
}

/// Returns the line in which the script itself reports its failure, without the script's name; without such a line the
/// last one.
std::string last_message(std::FILE* file, const std::string& name) {
  std::rewind(file);
  char* line = nullptr;
  std::size_t room = 0;
  std::string cause;
  std::string last;
  while (::getline(&line, &room, file) > 0) {
    std::string text(line, std::strcspn(line, "\n"));
    if (text.rfind(name + ":", 0) == 0) cause = text.substr(name.size() + 2);
    if (text.find(": error: ") != std::string::npos)
      cause = text.substr(text.find(": error: ") + 9); // form of argparse
    if (!text.empty()) last = text;
  }
  ::free(line); // NOLINT: getline's
  return cause.empty() ? last : cause;
}

[[noreturn]] void throw_failure(const FrameworkScript& script, int rank, int status, std::FILE* errors) {
  const std::string message = last_message(errors, script.name);
  if (WIFSIGNALED(status)) {
    const bool aborted = WTERMSIG(status) == SIGABRT; // the script aborted itself, usually with a reason
    throw RunError(
        fmt::format("{} of rank {} died of signal {} ({}); the job has ended. Records written so far are kept.{}",
                    script.name, rank, WTERMSIG(status), ::strsignal(WTERMSIG(status)), // NOLINT: one thread
                    aborted && !message.empty() ? " It said last: " + message : ""));
  }
  const std::string text = fmt::format("{}, rank {}: {}", script.name, rank, message);
  if (WEXITSTATUS(status) == wrong_use) throw ddlsim::UserError("", "", text);
  throw RunError(text);
}

/// Waits for a server's child, and ends it when all workers have said that they are done.
ChildEnd serve(MpiCommunicator& world, pid_t child, int workers, const std::function<void(int)>& fail) {
  for (int done = 0; done < workers;) {
    while (world.receive_number(done_tag)) ++done;
    if (const auto end = ended(child)) {
      if (end->status != 0) fail(end->status);
      return *end;
    }
    std::this_thread::sleep_for(poll_every);
  }
  const auto last = std::chrono::steady_clock::now() + server_patience;
  while (std::chrono::steady_clock::now() < last) {
    if (const auto end = ended(child)) return *end;
    std::this_thread::sleep_for(poll_every);
  }
  ::kill(child, SIGKILL);
  return wait_for(child);
}

std::vector<NetworkPlace> places_of_all(MpiCommunicator& world, const std::string& host, const std::string& interface) {
  NetworkPlace own = place_here(host, interface);
  own.ports = free_ports(ports_a_rank);
  std::vector<NetworkPlace> places;
  for (const std::string& text : world.gather(to_text(own))) places.push_back(network_place(text));
  use_loopback_on_one_host(places);
  return places;
}

} // namespace

RankUse supervise(MpiCommunicator& world, const std::string& host, const Supervised& what) {
  const std::vector<NetworkPlace> places = places_of_all(world, host, what.interface);
  ::setenv("DDLTRAIN_JOB", job_description(places, world.rank()).c_str(), 1);
  ::unsetenv("LD_PRELOAD"); // the testbed's library is for Open MPI, which only this process uses
  const File errors(std::tmpfile(), &std::fclose);
  if (!errors) throw RunError(std::string("no temporary file: ") + std::strerror(errno));
  const int workers = world.size() - what.servers;
  const NetworkPlace& own = places.at(static_cast<std::size_t>(world.rank()));
  const InterfaceBytes before = bytes_through(own.interface);
  const pid_t child = start(what.script, ::fileno(errors.get()));
  const auto fail = [&](int status) { throw_failure(what.script, world.rank(), status, errors.get()); };
  const bool serves = world.rank() >= workers;
  const ChildEnd end = serves ? serve(world, child, workers, fail) : wait_for(child);
  const InterfaceBytes after = bytes_through(own.interface);
  const RankUse use{end.cpu_s, after.received - before.received, after.sent - before.sent};
  if (serves) return use;
  if (end.status != 0) fail(end.status);
  for (int server = workers; server < world.size(); ++server) world.leave_number(1, server, done_tag);
  return use;
}

} // namespace ddltrain
