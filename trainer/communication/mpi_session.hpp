#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace ddltrain {

/// Throws RunError with MPI's message and the name of the call, unless `status` is MPI_SUCCESS.
void check_mpi(int status, const std::string& call);

// This process as a part of an MPI job that mpirun or srun --mpi=pmix started, or alone.

/// MPI from construction to destruction. A process has one.
class MpiSession {
public:
  /// Starts MPI so that several threads may communicate at once (MPI_THREAD_MULTIPLE), in commands that measure as in
  /// those that train. Throws RunError when the MPI cannot do so, and where another MPI's mpirun started this process.
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const; ///< rank of this process in the whole job
  /// Returns the host's name as MPI knows it.
  std::string host() const;
  /// Returns the library, such as "Open MPI 4.1.4".
  std::string library() const;
  /// Ends every process of the job at once, with this exit status. The rank that has reported the reason calls it.
  [[noreturn]] void abort_job(int status) const;
};

/// Returns how many processes mpirun says that it started, by the variables of Open MPI or of Hydra (MPICH, Intel MPI).
/// 0: no mpirun started this process, or one that does not say it.
int ranks_that_mpirun_started();

/// Returns the text for the case that `mpirun` started `started` processes and `library` found `found` of them; ""
/// where it found all. An MPI takes each process that another MPI's mpirun started for a job of its own.
std::string text_of_foreign_mpirun(int started, int found, const std::string& library);

/// Whether a launcher started this process as one of a job. Throws UserError when srun started several processes
/// without PMIx, which could not find each other.
bool started_by_launcher();

/// Which ranks share a host. Nodes are numbered in the order in which their first rank comes.
struct NodeMap {
  std::vector<std::string> host_of_rank;
  std::vector<int> node_of_rank;
  int nodes = 0;
  int most_ranks_per_node = 0;
};

/// Makes the map of `hosts`, which has the host's name of each rank. Two hosts of one name count as one.
NodeMap map_nodes(const std::vector<std::string>& hosts);

/// Returns the number, from 0, of a rank among those of its host.
int place_on_node(const NodeMap& nodes, int rank);

/// Reports the failure on standard error, and ends the job with its exit status. Ranks above 0 wait a moment
/// first, so that only rank 0 reports a failure that all ranks have at once, and ends them.
[[noreturn]] void end_job(const MpiSession& mpi, int rank, const std::exception_ptr& failure);

/// Makes this process a rank of the job that a launcher started, and runs `body`, which is the same function on all
/// ranks. When it throws, end_job() ends the whole job, because other ranks may wait for this one for ever, even in
/// MPI_Finalize.
void run_as_rank(const std::function<void(const MpiSession& mpi)>& body);

} // namespace ddltrain
