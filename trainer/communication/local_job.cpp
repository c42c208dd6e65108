#include "trainer/communication/local_job.hpp"

#include "trainer/campaign/launch_words.hpp"
#include "trainer/run_error.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <regex>
#include <unistd.h>

namespace ddltrain {
namespace {

/// A shell's exit status for "no such program".
constexpr int no_program = 127;

[[noreturn]] void become(const std::vector<std::string>& command, int error_pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM); // when this process ends, mpirun ends its ranks
  ::dup2(error_pipe, STDERR_FILENO);
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str())); // NOLINT: execvp's type
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  ::_exit(no_program);
}

void pass_on_errors(int pipe) {
  FILE* const stream = ::fdopen(pipe, "r");
  char* line = nullptr;
  std::size_t room = 0;
  MpirunWords words;
  while (::getline(&line, &room, stream) > 0) {
    std::string text(line);
    if (!text.empty() && text.back() == '\n') text.pop_back();
    const std::string message = words.digest(text);
    if (!message.empty()) fmt::print(stderr, "{}\n", message);
  }
  ::free(line);
  std::fclose(stream);
}

int exit_status(int wait_status) {
  const int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 1;
  return status > 128 ? 1 : status; // the signal of a rank was reported in words already
}

} // namespace

std::vector<std::string> local_mpirun(int ranks, const std::string& program, const std::vector<std::string>& arguments,
                                      int cores_per_rank) {
  const NodeCores node = cores_of_this_node();
  RankLaunch launch;
  launch.mpirun = installed_mpirun();
  launch.ranks_per_node = ranks;
  launch.cores_per_rank = cores_of_rank(node.cores, ranks, cores_per_rank);
  launch.threads_per_core = node.threads_per_core;
  launch.environment = rank_environment();
  std::vector<std::string> command = mpirun_words(launch);
  command.push_back(program);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

int run_local_job(int ranks, const std::vector<std::string>& arguments, int cores_per_rank) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::vector<std::string> command = local_mpirun(ranks, program, arguments, cores_per_rank);
  int pipe[2] = {-1, -1};
  if (::pipe(pipe) != 0) throw RunError(std::string("no pipe for mpirun: ") + std::strerror(errno));
  const pid_t child = ::fork();
  if (child < 0) throw RunError(std::string("mpirun cannot be started: ") + std::strerror(errno));
  if (child == 0) {
    ::close(pipe[0]);
    become(command, pipe[1]);
  }
  ::close(pipe[1]);
  pass_on_errors(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_status(status);
}

std::string MpirunWords::digest(const std::string& line) {
  const bool dashes = line.size() > 40 && line.find_first_not_of('-') == std::string::npos;
  if (dashes) {
    in_block_ = !in_block_;
    std::string rest = in_block_ || known_ ? "" : block_;
    block_.clear();
    known_ = false;
    return rest;
  }
  const auto has = [&line](const char* words) { return line.find(words) != std::string::npos; };
  const bool about_help =
      has("util/show_help.c") || has("help-mpi-api.txt / mpi-abort") || has("orte_base_help_aggregate");
  if (!in_block_) return about_help ? "" : line;
  static const std::regex died(".*process rank ([0-9]+) with PID [0-9]+ on node (\\S+) exited on (signal [^.]*)\\..*");
  std::smatch parts;
  if (std::regex_match(line, parts, died)) {
    known_ = true;
    return fmt::format("ddltrain: rank {} on host {} died of {}; the job has ended. Records written so far are kept.",
                       parts[1].str(), parts[2].str(), parts[3].str());
  }
  if (has("Primary job") || has("MPI_ABORT was invoked") || has("exited with non-zero status")) known_ = true;
  block_ += (block_.empty() ? "" : "\n") + line;
  return "";
}

} // namespace ddltrain
