#include "calibrate/cache/calibration_cache.hpp"
#include "cli/command.hpp"
#include "sim/base/error.hpp"
#include "sim/base/escape.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace ddlsim {
namespace {

constexpr int failed = 1;

namespace fs = std::filesystem;

/// Returns the folder with platforms/ and scenarios/ of an installation, which is ../share/ddlsim relative to the
/// program. It is empty for a program that was not installed, which uses the sources that it was built from.
fs::path installed_data_folder() {
  std::error_code ignored;
  const auto program = fs::read_symlink("/proc/self/exe", ignored);
  auto installed = program.parent_path().parent_path() / "share" / "ddlsim";
  return exists(installed / "platforms" / "gpus.json", ignored) ? installed : fs::path{};
}

/// Sets where calibrations are kept. A checkout uses its own build folder, an installation the user's cache folder.
CommandLine with_calibrations(CommandLine line, const fs::path& installed) {
  CalibrationCache cache;
  if (!installed.empty()) cache.shipped = installed / "calibrations";
  cache.kept = cache_folder(installed.empty() ? fs::path(DDLSIM_DATA_FOLDER) : fs::path{});
  cache.narrate = [line](const std::string& text) { narrate(line, text); };
  cache.threads = line.threads;
  if (!cache.kept.empty()) line.tables = cache.kept / "models";
  line.calibrations = fitted_calibrations(std::move(cache));
  return line;
}

int say(const EarlyExit& exit) {
  fmt::print(stdout, "{}", exit.out);
  fmt::print(stderr, "{}", exit.err);
  return exit.code;
}

/// Flushes standard output, and throws if that fails. A full disk shows only when the last of the output is written.
int after_output(int code) {
  if (std::fflush(stdout) == 0) return code;
  throw UserError("standard output", "",
                  fmt::format("cannot be written: {}; check that it has room", std::strerror(errno)));
}

} // namespace

int run_program(int argc, char** argv) {
  try {
    const auto installed = installed_data_folder();
    const auto parsed = parse_command_line(argc, argv, installed.empty() ? fs::path(DDLSIM_DATA_FOLDER) : installed);
    if (const auto* exit = std::get_if<EarlyExit>(&parsed)) return after_output(say(*exit));
    return after_output(run_command(with_calibrations(std::get<CommandLine>(parsed), installed)));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", for_terminal(error.what()));
    return failed;
  }
}

} // namespace ddlsim
