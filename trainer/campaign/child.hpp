#pragma once
// Starts and ends other programs, with a time limit. They end with this process, however it ends.

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ddltrain {

/// A signal asked this process to stop (INT, TERM, HUP), or a batch system said that the job's time is nearly over
/// (USR1). It is thrown where the process waits, so that what was made is removed on the way out.
class Interrupted : public std::runtime_error {
public:
  explicit Interrupted(int signal);

  bool time_is_up() const { return time_is_up_; }

private:
  bool time_is_up_;
};

/// While an object of this class lives, INT, TERM, HUP and USR1 do not end the process. They are collected, and `check`
/// reports them.
class SignalWatch {
public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  int descriptor() const { return descriptor_; } ///< descriptor that can be read when a signal has come
  /// Throws Interrupted when a signal has come.
  void check() const;

private:
  int descriptor_ = -1;
};

struct Command {
  std::vector<std::string> words;       ///< program and arguments; the program is looked for in PATH
  std::vector<std::string> environment; ///< NAME=VALUE, in place of this process's own
  std::string folder;                   ///< folder to run in; "": the current one
  /// whether the command runs at real-time priority, before all usual processes, where that is allowed
  bool goes_first = false;
  std::string log; ///< standard output and error are appended here
  double time_limit_s = 600;
};

struct CommandEnd {
  int status = 0; ///< exit status as a shell states it: 128 + signal when the command was killed
  bool out_of_time = false;
  double cpu_s = 0; ///< processor time of the command and of all that it started
  double seconds = 0;
};

/// Runs the command in a process group of its own, at most for its time. The command gets SIGTERM when this process is
/// killed. `tick` is called about once a second. On a signal the group is ended first, and then Interrupted is thrown.
/// Throws RunError when the program cannot be started.
CommandEnd run_command(const Command& command, const SignalWatch& signals, const std::function<void()>& tick = {});

/// Runs a short command (ip, tc, sbatch). Returns what it printed on standard output. When it fails, throws RunError
/// with what it printed on standard error.
std::string run_and_read(const std::vector<std::string>& words);

/// Ends a process group by SIGTERM, and by SIGKILL if it still exists after `patience`.
void end_group(pid_t group, std::chrono::milliseconds patience);

/// Whether a program of this name is in PATH.
bool program_exists(const std::string& name);

/// Returns the file of the running program.
std::string own_program();

/// Returns a file beside the running program, or in ../lib of it. Throws RunError when there is none.
std::string beside_program(const std::string& name);

} // namespace ddltrain
