#pragma once
// Keeps the results of tasks in a file. Each is written when its task ends, so that an interrupted run can be
// continued.
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

/// Results of finished tasks, by task number.
using FinishedTasks = std::map<int, std::string>;

/// Reads tasks up to the first incomplete one, because a killed run may leave only a part of its last task. Throws
/// UserError for a file that is missing, is no journal, or belongs to another question.
FinishedTasks read_task_journal(const std::filesystem::path& file, const std::string& question);

/// A journal to which results are added. Nothing is forced to the disk: the file survives a crash of the process, but
/// not a power cut.
class TaskJournal {
public:
  /// Replaces any file of that name by a journal of the tasks `kept`. Throws UserError when it cannot be written, and
  /// when the name is a link to another place, because no user typed this name.
  TaskJournal(std::filesystem::path file, std::string question, const FinishedTasks& kept);

  /// Adds a task with one write. Returns false when it cannot be written; the file is then unchanged.
  bool keep(int task, const std::string& bytes);

  /// Removes the file.
  void remove();

private:
  std::filesystem::path file_;
  std::string question_;
  Descriptor end_;
};

/// Returns a function that runs only the tasks that are not in `kept`, and calls `ended` for these alone. A failed task
/// is not written to the journal, so the next run tries it again.
RunTasks without_finished(RunTasks run, FinishedTasks kept);

} // namespace ddlsim
