#pragma once
// This process's part in an MPI job: started by mpirun, by srun --mpi=pmix, or alone.

#include <string>

namespace ddltrain {

/// MPI from construction to destruction. One a process.
class MpiSession {
public:
  /// many_threads: several threads may communicate at once (MPI_THREAD_MULTIPLE). Throws RunError when the MPI cannot.
  explicit MpiSession(bool many_threads);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const; ///< of this process in the whole job
  /// The host's name, as MPI knows it.
  std::string host() const;
  /// "Open MPI 4.1.4".
  std::string library() const;
  /// Ends every process of the job, at once, with this exit status. For the rank that has told why.
  [[noreturn]] void abort_job(int status) const;
};

/// True when a launcher started this process as one of a job. Throws UsageError when srun started several processes
/// without PMIx, which could not find each other.
bool started_by_launcher();

} // namespace ddltrain
