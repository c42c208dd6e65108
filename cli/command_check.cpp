#include "cli/command.hpp"
#include "cli/config_model.hpp"
#include "sim/base/error.hpp"
#include "sim/base/plain_number.hpp"
#include "sim/base/table.hpp"
#include "sim/formats/check.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

namespace ddlsim {

/// Checks every file, even after one has failed.
int run_check(const CheckCommand& command, const CommandLine& line) {
  int code = 0;
  std::vector<std::string> right;
  for (const auto& file : command.files) {
    try {
      right.push_back(fmt::format("{}: {}", file.string(), check_asked(file, command.sequence, line)));
    } catch (const UserError& error) {
      fmt::print(stderr, "{}\n", error.what());
      code = 1;
    }
  }
  constexpr std::size_t lines_each = 2;
  std::string text;
  for (const auto& one : right) text += command.details ? one + "\n" : to_lines(one, screen_columns);
  const bool is_long = right.size() * lines_each > screen_lines && !command.details;
  if (is_long) text = fmt::format("{} files have no mistake. --details has a line for each.\n", right.size());
  if (!text.empty()) emit(line, text);
  return code;
}

} // namespace ddlsim
