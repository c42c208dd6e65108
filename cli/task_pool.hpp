#pragma once
// Runs the tasks of a sweep, a plan or a validation on cores, shows their progress, and keeps their
// results in a journal until the answer is written.

#include "cli/options.hpp"
#include "sim/base/task_journal.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Runs tasks. If the answer goes to a file, their results are kept in FILE.unfinished until discard_journal(). An
/// interrupted run leaves that journal if a task had ended, and a run with --resume continues from it. A journal
/// belongs to one question: the options as typed, and the bytes of the program, of the data folder's files and of the
/// input.
class TaskPool {
public:
  /// `tasks` is what the tasks are called in the plural; `inputs` are the input files, or folders of such. Throws
  /// UserError if --resume finds a journal of another question.
  TaskPool(const CommandLine& line, std::string tasks, const std::vector<std::filesystem::path>& inputs);

  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  /// Returns a function that runs tasks on this machine. The function refers to this object.
  RunTasks runner();
  /// Number of threads for each of `count` tasks.
  int threads_of_each(std::size_t count) const;
  std::vector<TaskResult> run(std::size_t count, const TaskWork& work) { return runner()(all_tasks(count), work, {}); }

  /// Removes the journal. Call it once the answer is written.
  void discard_journal();

private:
  void begin_journal(const std::vector<std::filesystem::path>& inputs);

  const CommandLine& line_;
  RunTasks run_;
  std::string tasks_;
  FinishedTasks finished_; ///< tasks that the interrupted run finished
  bool any_ended_ = false; ///< whether a task has ended in this run
  std::optional<TaskJournal> journal_;
};

} // namespace ddlsim
