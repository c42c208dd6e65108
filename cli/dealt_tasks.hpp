#pragma once
// Tasks of a sweep, a plan or a validation on their way: dealt out, shown as they end, kept until the answer is
// written.

#include "cli/options.hpp"
#include "sim/base/task_journal.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Where the answer goes to a file, what tasks gave is kept in FILE.unfinished until forget(); a run that is cut off
/// leaves it, where a task had ended, and one with --resume goes on from it. The journal is of one question: the
/// options as typed, the bytes of the program, of the data folder's files and of the input's.
class DealtTasks {
public:
  /// `tasks`: what they are, in the plural; `inputs`: files that are asked about, and folders of such. Throws UserError
  /// where --resume finds what it must not go on from.
  DealtTasks(const CommandLine& line, std::string tasks, const std::vector<std::filesystem::path>& inputs);

  ~DealtTasks();
  DealtTasks(const DealtTasks&) = delete;
  DealtTasks& operator=(const DealtTasks&) = delete;

  /// Runs tasks by the ranks of an MPI job or on this machine. Refers to this object.
  RunTasks runner();
  /// Threads of each of `count` tasks: one where ranks work on them, each a task.
  int threads_of_each(std::size_t count) const;
  std::vector<TaskResult> run(std::size_t count, const TaskWork& work) { return runner()(all_tasks(count), work, {}); }

  /// The answer is written: nothing is left to go on from.
  void forget();

private:
  void begin_journal(const std::vector<std::filesystem::path>& inputs);

  const CommandLine& line_;
  RunTasks run_;
  std::string tasks_;
  KeptTasks kept_;         ///< of the run that was cut off
  bool any_ended_ = false; ///< in this run
  std::optional<TaskJournal> journal_;
};

} // namespace ddlsim
