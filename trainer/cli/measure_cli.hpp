#pragma once
// The measuring subcommands' options.

#include "trainer/cli/communication_commands.hpp"
#include "trainer/cli/model_commands.hpp"

namespace CLI {
class App;
}

namespace ddltrain {

struct MeasureArguments {
  LayersOptions layers;
  CommunicationOptions collectives;
  CommunicationOptions link;
  CommunicationOptions server;
  ProfileOptions profile;
};

/// Adds layers, collectives, link, server and profile to the program; their options land in `arguments`, which must
/// outlive the parse, as the exit status in `status` must. words: the command line without the program's name, to start
/// ranks with.
void add_measuring(CLI::App& program, MeasureArguments& arguments, const std::vector<std::string>& words, int& status);

} // namespace ddltrain
