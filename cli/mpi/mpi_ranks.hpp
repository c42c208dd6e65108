#pragma once
// The ranks of an MPI job as workers: rank 0 deals independent tasks out, the others answer.

#include "sim/base/child_process.hpp"

#include <vector>

namespace ddlsim {

/// Thrown in a rank that has answered what it was asked: its part of the command is over.
struct WorkIsOver {};

/// MPI from its start to its end. Each rank calls exactly one of deal(), serve() and stand_aside() first, because the
/// ranks tell each other there who works.
///
///   rank 0     deal():  who works? -> a task to each -> an answer in, the next task out ... -> "no more" to each
///   rank 1..   serve(): I do       -> a task in, an answer out ...                         -> WorkIsOver
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
  std::vector<TaskResult> deal(const std::vector<int>& tasks, const TaskWork& work, const TaskEnded& ended);

  /// Another rank: answers rank 0 until that has no more. Throws WorkIsOver in the end.
  [[noreturn]] void serve(const TaskWork& work);

  /// Ranks that could not begin to work when rank 0 dealt out.
  int missing() const { return missing_; }

  /// A rank that comes to its end without tasks, by its command or by an error. No effect after deal() or serve().
  void stand_aside();

private:
  std::vector<int> tell_who_works(bool works);

  int rank_ = 0;
  int ranks_ = 1;
  int missing_ = 0;
  bool told_ = false;  ///< the others who works
  bool deals_ = false; ///< tasks are out
};

} // namespace ddlsim
