#include "trainer/cli/options.hpp"

int main(int argc, char** argv) {
  return ddltrain::run_command_line(argc, argv);
}
