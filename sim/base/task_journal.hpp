#pragma once
// The results of tasks in a file, each written as its task ends, so that a run that is cut off can go on from there.
//
//   ddlsim-journal 1 0123456789abcdef            version of the format, checksum of the question
//   7 5 89abcdef01234567                         task, bytes of its result, checksum of question, task and bytes
//   hello                                        the bytes, of any kind, and a line end
//   ...

#include "sim/base/child_process.hpp"
#include "sim/base/descriptor.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace ddlsim {

/// Results of finished tasks, by the task's number.
using FinishedTasks = std::map<int, std::string>;

/// Reads tasks up to the first that is not whole: a kill may leave part of the last one. Throws UserError for a file
/// that is missing, no journal, or one of another question.
FinishedTasks read_task_journal(const std::filesystem::path& file, const std::string& question);

/// A journal that grows. Nothing is forced to the disk: what is written outlives the process, not a power cut.
class TaskJournal {
public:
  /// Replaces any file of that name by a journal of these tasks. Throws UserError where none can be written, or where
  /// the name is a link that leads elsewhere, because no user typed this name.
  TaskJournal(std::filesystem::path file, std::string question, const FinishedTasks& kept);

  /// Adds a task by one write. False when it cannot be written; the file is then as it was.
  bool keep(int task, const std::string& bytes);

  /// Removes the file.
  void remove();

private:
  std::filesystem::path file_;
  std::string question_;
  Descriptor end_;
};

/// Runs only the tasks that are not finished, and calls `ended` for these alone. A task that fails is not kept, so that
/// the next run tries it again.
RunTasks without_finished(RunTasks run, FinishedTasks kept);

} // namespace ddlsim
