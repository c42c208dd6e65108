#pragma once
// Other programs, started and ended: with a time limit, and ended with us however we end.

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ddltrain {

/// A signal asked us to stop (INT, TERM, HUP), or a batch system said that the job's time is nearly up (USR1). Thrown
/// where we wait, so that what was made is unmade on the way out.
class Interrupted : public std::runtime_error {
public:
  explicit Interrupted(int signal);

  bool time_is_up() const { return time_is_up_; }

private:
  bool time_is_up_;
};

/// While one of these lives, INT, TERM, HUP and USR1 do not end the process: they are collected and reported by
/// `check`.
class SignalWatch {
public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  int descriptor() const { return descriptor_; } ///< readable when a signal came
  /// Throws Interrupted when a signal came.
  void check() const;

private:
  int descriptor_ = -1;
};

struct Command {
  std::vector<std::string> words;       ///< the program is looked for in PATH
  std::vector<std::string> environment; ///< NAME=VALUE, in place of those we have
  std::string folder;                   ///< to run in; "": ours
  bool goes_first = false;              ///< at real-time priority, before everything usual; where that is allowed
  std::string log;                      ///< standard output and error are appended here
  double time_limit_s = 600;
};

struct CommandEnd {
  int status = 0; ///< as a shell says it: 128 + signal when killed
  bool out_of_time = false;
  double cpu_s = 0; ///< processor time of the command and all it started
  double seconds = 0;
};

/// Runs the command in a process group of its own, at most for its time. The command gets SIGTERM when we are killed.
/// `tick` is called about once a second. On a signal the group is ended first, then Interrupted thrown. Throws
/// RunError when the program cannot be started.
CommandEnd run_command(const Command& command, const SignalWatch& signals, const std::function<void()>& tick = {});

/// Runs a short command (ip, tc, sbatch). Returns what it printed on standard output. Throws RunError with what it
/// printed on standard error when it fails.
std::string run_and_read(const std::vector<std::string>& words);

/// Ends a process group: SIGTERM, and SIGKILL when it is still there after `patience`.
void end_group(pid_t group, std::chrono::milliseconds patience);

/// Is a program of this name in PATH?
bool program_exists(const std::string& name);

/// The running program's file.
std::string own_program();

/// A file that lies beside the running program, or in ../lib of it. Throws RunError when it does not.
std::string beside_program(const std::string& name);

} // namespace ddltrain
