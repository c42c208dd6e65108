#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ddltrain {

/// `ddltrain framework` as typed.
struct FrameworkWords {
  std::string name;
  std::vector<std::string> words; ///< the command line after the program's name
};

/// Adds `framework NAME ...` to the command line: a real framework's script as the ranks of a job. Its exit status comes to
/// lie in `status`; both must outlive parsing.
void add_framework(CLI::App& program, FrameworkWords& words, int& status);

} // namespace ddltrain
