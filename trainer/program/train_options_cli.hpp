#pragma once
#include "trainer/program/train_command.hpp"

namespace CLI {
class App;
}

namespace ddltrain {

/// Adds `train` and its options to the command line. Its exit status comes to lie in `status`; both must outlive
/// parsing.
void add_train(CLI::App& program, TrainArguments& arguments, int& status);

} // namespace ddltrain
