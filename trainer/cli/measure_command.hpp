#pragma once

namespace CLI {
class App;
}

namespace ddltrain {

/// Adds `ddltrain measure --cluster NAME ...` to the program.
void add_measure_command(CLI::App& program);

} // namespace ddltrain
