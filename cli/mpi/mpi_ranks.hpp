#pragma once
// The ranks of an MPI job as workers: rank 0 distributes independent tasks, and the other ranks run them.

#include "sim/base/child_process.hpp"

#include <vector>

namespace ddlsim {

/// Thrown in a rank when rank 0 has no more tasks for it.
struct NoMoreTasks {};

/// MPI from its start to its end. Each rank calls exactly one of deal(), serve() and leave_to_others() first, because
/// the ranks exchange there which of them work.
///
///   rank 0     deal():  who works? -> a task to each -> an answer in, the next task out ... -> "no more" to each
///   rank 1..   serve(): I do       -> a task in, an answer out ...                         -> NoMoreTasks
///
/// A rank that dies ends the job: MPI's launcher says which.
class MpiRanks {
public:
  MpiRanks();
  ~MpiRanks();
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  bool is_first() const { return rank_ == 0; }

  /// Runs tasks on the other ranks, each in a child process of its rank, and returns their results in order, as
  /// run_in_workers() does. Only rank 0 calls it. If no other rank works, and in a second call, the tasks run on this
  /// machine's cores.
  std::vector<TaskResult> distribute(const std::vector<int>& tasks, const TaskWork& work, const TaskEnded& ended);

  /// Runs tasks for rank 0 until there are no more, then throws NoMoreTasks. Only the other ranks call it.
  [[noreturn]] void serve(const TaskWork& work);

  /// The number of ranks that could not start to work when rank 0 distributed tasks.
  int missing() const { return missing_; }

  /// Says to the other ranks that this rank takes no tasks, because of its command or an error. Has no effect after
  /// distribute() or serve().
  void leave_to_others();

private:
  std::vector<int> gather_workers(bool works);

  int rank_ = 0;
  int ranks_ = 1;
  int missing_ = 0;
  bool gathered_ = false;    ///< whether the ranks know which of them take tasks
  bool distributes_ = false; ///< whether rank 0 has handed out tasks
};

} // namespace ddlsim
