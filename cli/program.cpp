#include "cli/commands.hpp"
#include "sim/base/error.hpp"
#include "sim/base/foreign_text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
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

/// A full disk behind standard output shows when the last of it is written.
int after_output(int code) {
  if (std::fflush(stdout) == 0) return code;
  throw UserError("standard output", "",
                  fmt::format("cannot be written: {}; check that it has room", std::strerror(errno)));
}

} // namespace

int run_program(int argc, char** argv, const std::function<int(const CommandLine&)>& run, bool tells) {
  try {
    const auto parsed = parse_command_line(argc, argv, shipped_data_folder());
    if (const auto* exit = std::get_if<EarlyExit>(&parsed)) return after_output(say(*exit, tells));
    return after_output(run(std::get<CommandLine>(parsed)));
  } catch (const std::exception& error) {
    if (tells) fmt::print(stderr, "{}\n", for_terminal(error.what()));
    return failed;
  }
}

} // namespace ddlsim
