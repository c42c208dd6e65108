#pragma once
// A framework's script: which file, which Python, and what its arguments tell the starter.

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

} // namespace ddltrain
