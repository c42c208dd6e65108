#include "cli/commands.hpp"
#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace {

constexpr int failed = 1;

int say(const ddlsim::EarlyExit& exit) {
  fmt::print(stdout, "{}", exit.out);
  fmt::print(stderr, "{}", exit.err);
  return exit.code;
}

} // namespace

int main(int argc, char** argv) {
  try {
    const auto parsed = ddlsim::parse_command_line(argc, argv, DDLSIM_DATA_FOLDER);
    if (const auto* exit = std::get_if<ddlsim::EarlyExit>(&parsed)) return say(*exit);
    return ddlsim::run_command(std::get<ddlsim::CommandLine>(parsed));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return failed;
  }
}
