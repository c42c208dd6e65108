#include "cli/program.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

namespace ddlsim {
namespace {

constexpr int failed = 1;

/// platforms/ and scenarios/ where an installation put them, seen from the program: ../share/ddlsim. A program that was
/// not installed takes those of the sources from which it was built.
std::filesystem::path shipped_data_folder() {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const auto installed = program.parent_path().parent_path() / "share" / "ddlsim";
  return exists(installed / "platforms" / "gpus.json", ignored) ? installed : std::filesystem::path(DDLSIM_DATA_FOLDER);
}

int say(const EarlyExit& exit, bool tells) {
  if (!tells) return exit.code;
  fmt::print(stdout, "{}", exit.out);
  fmt::print(stderr, "{}", exit.err);
  return exit.code;
}

} // namespace

int run_program(int argc, char** argv, const std::function<int(const CommandLine&)>& run, bool tells) {
  try {
    const auto parsed = parse_command_line(argc, argv, shipped_data_folder());
    if (const auto* exit = std::get_if<EarlyExit>(&parsed)) return say(*exit, tells);
    return run(std::get<CommandLine>(parsed));
  } catch (const std::exception& error) {
    if (tells) fmt::print(stderr, "{}\n", error.what());
    return failed;
  }
}

} // namespace ddlsim
