#include "trainer/campaign/child.hpp"

#include "trainer/run_error.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sched.h>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace ddltrain {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int tick_ms = 1000;
constexpr std::chrono::seconds end_patience(5); ///< time to wait; mpirun takes up to 2 s to end its ranks
constexpr int cannot_start = 127;               ///< the exit status with which shells report this

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    sigaddset(&set, signal);
  }
  return set;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) {
    result.push_back(text.data());
  }
  result.push_back(nullptr);
  return result;
}

/// Runs in the new process, and allocates nothing.
[[noreturn]] void become(char* const* words, char* const* environment, const char* folder, bool goes_first, int output,
                         int errors, pid_t parent) {
  const sigset_t set = stop_signals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) {
    _exit(cannot_start); // the parent died before the line above
  }
  if (goes_first) {
    const sched_param lowest = {1}; // the lowest of the real-time priorities
    sched_setscheduler(0, SCHED_RR, &lowest);
  }
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC); // a background process group may not read the terminal
  dup2(nothing, STDIN_FILENO);
  for (; *environment != nullptr; ++environment) {
    putenv(*environment);
  }
  if (*folder == '\0' || chdir(folder) == 0) {
    execvp(words[0], words);
  }
  const char* cause = std::strerror(errno);
  // the result is ignored, because nobody is left to report it to
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, cause, std::strlen(cause));
  _exit(cannot_start);
}

pid_t start(const Command& command, int output, int errors) {
  std::vector<std::string> words = command.words;
  std::vector<std::string> environment = command.environment;
  const std::vector<char*> word_pointers = pointers(words);
  const std::vector<char*> environment_pointers = pointers(environment);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    become(word_pointers.data(), environment_pointers.data(), command.folder.c_str(), command.goes_first, output,
           errors, parent);
  }
  if (child < 0) {
    throw RunError("cannot start " + command.words.front() + ": " + std::strerror(errno));
  }
  setpgid(child, child); // parent and child both do this, because either may come first
  return child;
}

int shell_status(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return shell_status(status);
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return text;
    }
  }
}

double children_cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Waits for processes that the command left behind, such as Open MPI's daemons, which end soon after it.
void wait_for_daemons() {
  constexpr std::chrono::milliseconds look_every(10);
  constexpr int most_rounds = 200;
  for (int round = 0; round < most_rounds; ++round) {
    const pid_t ended = waitpid(-1, nullptr, WNOHANG);
    if (ended < 0) {
      return; // no process is left
    }
    if (ended == 0) {
      std::this_thread::sleep_for(look_every);
    }
  }
}

/// Opens a temporary file without a name.
int unnamed_file() {
  return static_cast<int>(syscall(SYS_memfd_create, "errors", 1U));
}

} // namespace

Interrupted::Interrupted(int signal)
    : std::runtime_error(std::string("stopped by signal ") + strsignal(signal) +
                         "; finished parts are kept, the same command goes on with the others"),
      time_is_up_(signal == SIGUSR1) {}

SignalWatch::SignalWatch() {
  const sigset_t set = stop_signals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  descriptor_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

SignalWatch::~SignalWatch() {
  close(descriptor_);
  const sigset_t set = stop_signals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void SignalWatch::check() const {
  signalfd_siginfo info{};
  if (read(descriptor_, &info, sizeof info) == sizeof info) {
    throw Interrupted(static_cast<int>(info.ssi_signo));
  }
}

void end_group(pid_t group, std::chrono::milliseconds patience) {
  kill(-group, SIGTERM);
  const auto begin = Clock::now();
  while (kill(-group, 0) == 0 && Clock::now() - begin < patience) {
    int status = 0;
    waitpid(group, &status, WNOHANG);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  kill(-group, SIGKILL);
  waitpid(group, nullptr, WNOHANG);
}

CommandEnd run_command(const Command& command, const SignalWatch& signals, const std::function<void()>& tick) {
  const int log = open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0) {
    throw RunError("cannot write " + command.log + ": " + std::strerror(errno));
  }
  // daemons that the command starts become children of this process, which waits for them
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const double cpu_before_s = children_cpu_s();
  const auto begin = Clock::now();
  const pid_t child = start(command, log, log);
  close(log);
  const int watch = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  CommandEnd end;
  for (;;) {
    std::array<pollfd, 2> what = {{{watch, POLLIN, 0}, {signals.descriptor(), POLLIN, 0}}};
    poll(what.data(), what.size(), tick_ms);
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      end.status = shell_status(status);
      break;
    }
    end.out_of_time = seconds_since(begin) > command.time_limit_s;
    if (end.out_of_time || what[1].revents != 0) {
      end_group(child, end_patience);
      break;
    }
    if (tick) {
      tick();
    }
  }
  close(watch);
  kill(-child, SIGKILL); // ends what the command may have left behind
  end.seconds = seconds_since(begin);
  wait_for_daemons();
  end.cpu_s = children_cpu_s() - cpu_before_s;
  signals.check();
  return end;
}

std::string run_and_read(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw RunError(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  const int errors = unnamed_file();
  Command command;
  command.words = words;
  const pid_t child = start(command, ends[1], errors);
  close(ends[1]);
  std::string text = read_all(ends[0]);
  close(ends[0]);
  const int status = wait_for(child);
  lseek(errors, 0, SEEK_SET);
  const std::string complaint = read_all(errors);
  close(errors);
  if (status != 0) {
    std::string line;
    for (const std::string& word : words) {
      line += (line.empty() ? "" : " ") + word;
    }
    throw RunError("`" + line + "` failed with status " + std::to_string(status) + ": " + complaint);
  }
  return text;
}

bool program_exists(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((std::filesystem::path(folder) / name).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

std::string own_program() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

std::string beside_program(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::path(own_program()).parent_path();
  for (const std::filesystem::path& file : {folder / name, folder.parent_path() / "lib" / name}) {
    if (std::filesystem::exists(file)) {
      return file;
    }
  }
  throw RunError(name + " is not beside " + own_program() + "; build the target ddltrain");
}

} // namespace ddltrain
