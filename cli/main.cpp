#include "cli/command.hpp"

int main(int argc, char** argv) {
  return ddlsim::run_program(argc, argv);
}
