#pragma once
// A framework's script: its file, its Python, what its arguments say to the starter, and how a rank runs it.

#include <filesystem>
#include <string>
#include <vector>

namespace ddltrain {

struct FrameworkScript {
  std::string name;   ///< name such as "mxnet-kvstore"
  std::string python; ///< Python of its environment
  std::string file;
  std::vector<std::string> arguments; ///< arguments of the script
};

/// Finds trainer/frameworks/NAME.py (with _ for -) in the current folder or above the program, and the environment in
/// build/frameworks/ENVIRONMENT beside it. ENVIRONMENT is the first word of the name. Throws ddlsim::UserError with the
/// names of the scripts, or with the command that installs the environment.
FrameworkScript find_script(const std::string& name, const std::filesystem::path& program);

/// The words after NAME that `ddltrain framework` itself uses.
struct FrameworkArguments {
  int ranks = 0; ///< number of ranks started here without a launcher; 0: one, or as many as the launcher started
  int cores_per_rank = 0;        ///< cores of each of those
  std::string interface;         ///< interface whose address frameworks use; "": the first
  int servers = 0;               ///< number of dedicated servers, which are the last ranks
  std::vector<std::string> rest; ///< words for the script, with --servers and --placement
};

/// Reads the words. Throws ddlsim::UserError for a value that is missing or no whole number above 0.
FrameworkArguments framework_arguments(const std::vector<std::string>& words);

// One rank of a framework's job. A child process computes. This process watches it and stays in MPI, so that a child
// that dies ends the job.

class MpiCommunicator;

/// How a rank's child is run.
struct Supervised {
  FrameworkScript script;
  std::string interface; ///< network interface; "": the first
  int servers = 0;       ///< number of last ranks that serve, and are ended when all workers are done
};

/// What a rank's child used. Bytes are those of the rank's network interface, with headers and other processes.
struct RankUse {
  double cpu_s = 0; ///< processor time of the child and of what it started
  double received_bytes = 0;
  double sent_bytes = 0;
};

/// Runs the script as this rank's child until it ends. The child finds its job in DDLTRAIN_JOB. Its standard error is
/// kept, and its last message is reported when it fails. All ranks of `world` must call it; `host` is this rank's name.
/// Throws RunError or ddlsim::UserError (by the child's status) when the child fails.
RankUse supervise(MpiCommunicator& world, const std::string& host, const Supervised& what);

} // namespace ddltrain
