#pragma once
// The command line of ddltrain, and the subcommands that have no header of their own.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ddltrain {

/// Parses the command line and runs the subcommand. Returns the exit status: 0; 1 when the run failed; 2 when the
/// command line is wrong. Each failure gives one message on standard error.
int run_command_line(int argc, char** argv);

/// The words of `ddltrain framework`.
struct FrameworkWords {
  std::string name;
  std::vector<std::string> words; ///< the command line after the program's name
};

/// Adds `framework NAME ...` to the command line, which runs a real framework's script as the ranks of a job. Its exit
/// status is stored in `status`; both must outlive parsing.
void add_framework(CLI::App& program, FrameworkWords& words, int& status);

/// Adds `ddltrain measure --cluster NAME ...` to the program.
void add_measure_command(CLI::App& program);

} // namespace ddltrain
