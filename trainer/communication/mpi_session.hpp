#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace ddltrain {

/// Throws RunError with MPI's own words and the name of the call, unless `status` is MPI_SUCCESS.
void check_mpi(int status, const std::string& call);

// This process's part in an MPI job: started by mpirun, by srun --mpi=pmix, or alone.

/// MPI from construction to destruction. One a process.
class MpiSession {
public:
  /// Several threads may communicate at once (MPI_THREAD_MULTIPLE): what measures is set up as what trains is. Throws
  /// RunError when the MPI cannot, and where another MPI's mpirun started this process.
  MpiSession();
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

/// How many processes mpirun says that it started: from the variables of Open MPI or of Hydra (MPICH, Intel MPI). 0: no
/// mpirun started this one, or one that does not say.
int ranks_that_mpirun_started();

/// What to tell where `mpirun` started so many processes and `library` found `found` of them; "" where it found all. An
/// MPI whose processes another MPI's mpirun started takes each of them for a job of its own.
std::string text_of_foreign_mpirun(int started, int found, const std::string& library);

/// True when a launcher started this process as one of a job. Throws UserError when srun started several processes
/// without PMIx, which could not find each other.
bool started_by_launcher();

/// Which ranks share a host. Nodes are numbered in the order their first rank comes.
struct NodeMap {
  std::vector<std::string> host_of_rank;
  std::vector<int> node_of_rank;
  int nodes = 0;
  int most_ranks_per_node = 0;
};

/// hosts: the host's name by rank. Names tell hosts apart, so two hosts of one name are taken for one.
NodeMap map_nodes(const std::vector<std::string>& hosts);

/// The number, from 0, of a rank among those of its host.
int place_on_node(const NodeMap& nodes, int rank);

/// Tells of the failure on standard error and ends the job with its exit status. Ranks above 0 wait a moment first:
/// what all ranks meet at once is then told by rank 0 only, which ends them.
[[noreturn]] void end_job(const MpiSession& mpi, int rank, const std::exception_ptr& failure);

/// Makes this process a rank of the job that a launcher started, and runs `body`, the same function on all ranks. When
/// it throws the whole job ends by end_job: other ranks may wait for this one for ever, also in MPI_Finalize.
void run_as_rank(const std::function<void(const MpiSession& mpi)>& body);

} // namespace ddltrain
