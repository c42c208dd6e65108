#pragma once
// The ranks of an MPI job as workers: rank 0 distributes independent tasks, the others run them.

#include "sim/base/child_process.hpp"

#include <vector>

namespace ddlsim {

/// Thrown in a rank when rank 0 has no more tasks: its part of the command is over.
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

  /// Rank 0: runs tasks on the other ranks, each in a child process of its rank, and gives their results in order, as
  /// run_in_workers() does. Where no other rank works, and in a second call, this machine's cores do.
  std::vector<TaskResult> distribute(const std::vector<int>& tasks, const TaskWork& work, const TaskEnded& ended);

  /// Another rank: runs tasks of rank 0 until there are no more. Throws NoMoreTasks in the end.
  [[noreturn]] void serve(const TaskWork& work);

  /// Ranks that could not begin to work when rank 0 distributed tasks.
  int missing() const { return missing_; }

  /// A rank that comes to its end without tasks, by its command or by an error. No effect after deal() or serve().
  void leave_to_others();

private:
  std::vector<int> gather_workers(bool works);

  int rank_ = 0;
  int ranks_ = 1;
  int missing_ = 0;
  bool gathered_ = false;    ///< whether ranks know which of them work
  bool distributes_ = false; ///< tasks are out
};

} // namespace ddlsim
