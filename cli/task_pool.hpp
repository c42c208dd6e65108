#pragma once
// The tasks of a sweep, a plan or a validation: run on cores or ranks, shown as they end, and kept in a journal until
// the answer is written.

#include "cli/options.hpp"
#include "sim/base/task_journal.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Where the answer goes to a file, the results of tasks are kept in FILE.unfinished until discard_journal(). A run
/// that is cut off leaves that journal if a task had ended, and a run with --resume goes on from it. A journal belongs
/// to one question: the options as typed, and the bytes of the program, of the data folder's files and of the input.
class TaskPool {
public:
  /// `tasks`: what they are, in the plural; `inputs`: files that are asked about, and folders of such. Throws UserError
  /// where --resume finds what it must not go on from.
  TaskPool(const CommandLine& line, std::string tasks, const std::vector<std::filesystem::path>& inputs);

  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  /// Runs tasks by the ranks of an MPI job or on this machine. Refers to this object.
  RunTasks runner();
  /// Threads of each of `count` tasks: one where ranks work on them, each a task.
  int threads_of_each(std::size_t count) const;
  std::vector<TaskResult> run(std::size_t count, const TaskWork& work) { return runner()(all_tasks(count), work, {}); }

  /// Removes the journal, once the answer is written.
  void discard_journal();

private:
  void begin_journal(const std::vector<std::filesystem::path>& inputs);

  const CommandLine& line_;
  RunTasks run_;
  std::string tasks_;
  FinishedTasks finished_; ///< by the run that was cut off
  bool any_ended_ = false; ///< in this run
  std::optional<TaskJournal> journal_;
};

} // namespace ddlsim
