#pragma once

namespace ddltrain {

/// Parses the command line and runs the subcommand. Returns the exit status: 0; 1 when the machine failed; 2 when the
/// command line is wrong. One message a failure, on standard error.
int run_command_line(int argc, char** argv);

} // namespace ddltrain
