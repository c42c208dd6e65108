#pragma once
// The measuring subcommands' options.

#include "trainer/program/layers_command.hpp"

namespace CLI {
class App;
}

namespace ddltrain {

struct MeasureArguments {
  LayersOptions layers;
};

/// Adds layers to the program; its options land in `arguments`, which must outlive the parse.
void add_measuring(CLI::App& program, MeasureArguments& arguments);

} // namespace ddltrain
