#include "sim/base/error.hpp"
#include "trainer/cli/options.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  CLI::App program("measure", "ddltrain");
  ddltrain::add_measure_command(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : 2;
  } catch (const ddlsim::UserError& error) {
    std::fprintf(stderr, "ddltrain: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ddltrain: %s\n", error.what());
    return 1;
  }
  return 0;
}
