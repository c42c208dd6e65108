#include "cli/command.hpp"
#include "cli/config_model.hpp"
#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace ddlsim {

/// Checks every file, even after one has failed.
int run_check(const CheckCommand& command, const CommandLine& line) {
  int code = 0;
  for (const auto& file : command.files) {
    try {
      emit(line, fmt::format("{}: {}\n", file.string(), check_asked(file, command.sequence, line)));
    } catch (const UserError& error) {
      fmt::print(stderr, "{}\n", error.what());
      code = 1;
    }
  }
  return code;
}

} // namespace ddlsim
