#pragma once
// A job of several ranks on this machine, for whom no launcher was used.

#include <string>
#include <vector>

namespace ddltrain {

/// The mpirun command for `ranks` processes of `program` on this machine, as a campaign's local launcher has it
/// (trainer/campaign/launch_words.hpp), one compute thread a rank.
/// cores_per_rank: that each is bound to; 0: an equal share. Throws UserError where there are fewer.
std::vector<std::string> local_mpirun(int ranks, const std::string& program, const std::vector<std::string>& arguments,
                                      int cores_per_rank = 0);

/// Runs this program again, with these arguments, as `ranks` ranks under mpirun, and waits for them. Their output is
/// this program's. What mpirun tells of its own is one line here: which rank died, where and of what. mpirun ends when
/// this process does. Returns the job's exit status: 0 when all ranks ended well, else 1 or the ranks' own.
/// Throws RunError when mpirun cannot be started.
int run_local_job(int ranks, const std::vector<std::string>& arguments, int cores_per_rank = 0);

/// Replaces what Open MPI's mpirun tells in blocks between dashed lines by what a reader needs; passes on other lines.
class MpirunWords {
public:
  /// The line to print for this line of mpirun's or a rank's, "" for none.
  std::string digest(const std::string& line);

private:
  bool in_block_ = false;
  bool known_ = false;
  std::string block_;
};

} // namespace ddltrain
