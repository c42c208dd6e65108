#pragma once
// The command line of ddltrain, and its subcommands that have no header of their own.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ddltrain {

/// Parses the command line and runs the subcommand. Returns the exit status: 0; 1 when the machine failed; 2 when the
/// command line is wrong. One message a failure, on standard error.
int run_command_line(int argc, char** argv);

/// `ddltrain framework` as typed.
struct FrameworkWords {
  std::string name;
  std::vector<std::string> words; ///< the command line after the program's name
};

/// Adds `framework NAME ...` to the command line: a real framework's script as the ranks of a job. Its exit status
/// comes to lie in `status`; both must outlive parsing.
void add_framework(CLI::App& program, FrameworkWords& words, int& status);

/// Adds `ddltrain measure --cluster NAME ...` to the program.
void add_measure_command(CLI::App& program);

} // namespace ddltrain
