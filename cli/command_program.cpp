#include "calibrate/cache/calibration_cache.hpp"
#include "cli/command.hpp"
#include "cli/installation.hpp"
#include "sim/base/error.hpp"
#include "sim/base/escape.hpp"
#include "sim/predict/prediction.hpp"

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

void say_about_data(const std::string& sentence) {
  if (!sentence.empty()) fmt::print(stderr, "{}\n", for_terminal(sentence));
}

/// Flushes standard output, and throws if that fails. A full disk shows only when the last of the output is written.
int after_output(int code) {
  if (std::fflush(stdout) == 0) return code;
  throw UserError("standard output", "",
                  fmt::format("cannot be written: {}; check that it has room", std::strerror(errno)));
}

} // namespace

int run_program(int argc, char** argv) {
  const auto sources = fs::path(DDLSIM_DATA_FOLDER); // empty for a package
  const auto installed = installed_data_folder(sources.empty());
  fs::path data;
  try {
    const auto parsed = parse_command_line(argc, argv, installed.empty() ? sources : installed);
    if (const auto* exit = std::get_if<EarlyExit>(&parsed)) return after_output(say(*exit));
    const auto line = with_calibrations(std::get<CommandLine>(parsed), installed);
    data = line.data_folder;
    if (data == installed) require_installed_data(installed);
    const int code = after_output(run_command(line));
    if (!line.quiet) say_about_data(other_version(data, version()));
    return code;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", for_terminal(error.what()));
    say_about_data(broken_installation(installed, error.what()));
    say_about_data(other_version(data, version()));
    return failed;
  }
}

} // namespace ddlsim
