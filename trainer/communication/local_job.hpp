#pragma once
// Starts a job of several ranks on this machine, where no launcher was used.

#include <string>
#include <vector>

namespace ddltrain {

/// Returns the mpirun command for `ranks` processes of `program` on this machine, with one compute thread a rank, as a
/// campaign's local launcher has it (trainer/campaign/launch_words.hpp). `cores_per_rank` is the number of cores to
/// which each is bound; 0: an equal share. Throws UserError where there are fewer.
std::vector<std::string> local_mpirun(int ranks, const std::string& program, const std::vector<std::string>& arguments,
                                      int cores_per_rank = 0);

/// Runs this program again with these arguments, as `ranks` ranks under mpirun, and waits for them. Their output
/// becomes that of this program. Of mpirun's own output only one line is printed: which rank died, where and of what.
/// mpirun ends when this process does. Returns the job's exit status: 0 when all ranks ended well, else 1 or that of
/// the ranks. Throws RunError when mpirun cannot be started.
int run_local_job(int ranks, const std::vector<std::string>& arguments, int cores_per_rank = 0);

/// Replaces the blocks between dashed lines that Open MPI's mpirun prints by what a reader needs. Passes on other
/// lines.
class MpirunWords {
public:
  /// Returns the line to print for this line of mpirun or of a rank; "" for none.
  std::string digest(const std::string& line);

private:
  bool in_block_ = false;
  bool known_ = false;
  std::string block_;
};

} // namespace ddltrain
