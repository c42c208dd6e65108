#include "cli/commands.hpp"
#include "sim/base/text_file.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace ddlsim {
namespace {

struct Runner {
  const CommandLine& line;
  int operator()(const CheckCommand& command) const { return run_check(command, line); }
  int operator()(const ListCommand& command) const { return run_list(command, line); }
  int operator()(const PredictCommand& command) const { return run_predict(command, line); }
  int operator()(const CalibrateCommand& command) const { return run_calibrate(command, line); }
  int operator()(const ValidateCommand& command) const { return run_validate(command, line); }
  int operator()(const ImportCommand& command) const { return run_import(command, line); }
};

} // namespace

int run_command(const CommandLine& line) {
  return std::visit(Runner{line}, line.command);
}

void emit(const CommandLine& line, const std::string& text) {
  if (line.output.empty()) {
    fmt::print(stdout, "{}", text);
    return;
  }
  write_file(line.output, text);
  narrate(line, fmt::format("wrote {}", line.output.string()));
}

void narrate(const CommandLine& line, const std::string& text) {
  if (!line.quiet) fmt::print(stderr, "{}\n", text);
}

} // namespace ddlsim
