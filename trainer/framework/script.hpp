#pragma once
// A framework's script: which file, which Python, what its arguments tell the starter, and how a rank runs it.

#include <filesystem>
#include <string>
#include <vector>

namespace ddltrain {

struct FrameworkScript {
  std::string name;   ///< "mxnet-kvstore"
  std::string python; ///< of its environment
  std::string file;
  std::vector<std::string> arguments; ///< for the script
};

/// Finds trainer/frameworks/NAME.py (with _ for -) in the current folder or above the program, and the environment in
/// build/frameworks/ENVIRONMENT beside it, ENVIRONMENT being the name's first word. Throws ddlsim::UserError naming the
/// scripts there are, or the command that installs the environment.
FrameworkScript find_script(const std::string& name, const std::filesystem::path& program);

/// What `ddltrain framework` takes for itself out of the words after NAME.
struct FrameworkArguments {
  int ranks = 0;                 ///< started here without a launcher; 0: one, or as many as the launcher started
  int cores_per_rank = 0;        ///< of those
  std::string interface;         ///< whose address frameworks use; "": the first
  int servers = 0;               ///< dedicated ones, which are the last ranks
  std::vector<std::string> rest; ///< for the script; --servers and --placement among them
};

/// Throws ddlsim::UserError for a value that is missing or no whole number above 0.
FrameworkArguments framework_arguments(const std::vector<std::string>& words);

// One rank of a framework's job: a child process that computes, watched by this one, which stays in MPI so that a child
// that dies ends the job.

class MpiCommunicator;

/// How a rank's child is run.
struct Supervised {
  FrameworkScript script;
  std::string interface; ///< "": the first
  int servers = 0;       ///< the last so many ranks serve, and are ended when all workers are done
};

/// What a rank's child used. Bytes are those of the rank's network interface, headers and other processes' included.
struct RankUse {
  double cpu_s = 0; ///< of the child and of what it started
  double received_bytes = 0;
  double sent_bytes = 0;
};

/// Runs the script as this rank's child until it ends. The child finds its job in DDLTRAIN_JOB; its standard error is
/// kept, and its last message is told when it fails. Collective over `world`; host: this rank's name. Throws RunError
/// or ddlsim::UserError (as the child's status says) when the child fails.
RankUse supervise(MpiCommunicator& world, const std::string& host, const Supervised& what);

} // namespace ddltrain
