#include "cli/command.hpp"
#include "sim/base/child_process.hpp"
#include "sim/base/escape.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/own_files.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace ddlsim {
namespace {

/// Runs each command. A command that simulates starts the fork server first, while there is little memory to copy.
struct Runner {
  const CommandLine& line;
  int operator()(const CheckCommand& command) const { return run_check(command, line); }
  int operator()(const ListCommand& command) const { return run_list(command, line); }
  int operator()(const ExplainCommand& command) const { return run_explain(command, line); }
  int operator()(const SchemaCommand& command) const { return run_schema(command, line); }
  int operator()(const PredictCommand& command) const {
    start_fork_server();
    return run_predict(command, line);
  }
  int operator()(const PlanCommand& command) const {
    start_fork_server();
    return run_plan(command, line);
  }
  int operator()(const CalibrateCommand& command) const {
    start_fork_server();
    return run_calibrate(command, line);
  }
  int operator()(const ValidateCommand& command) const {
    start_fork_server();
    return run_validate(command, line);
  }
  int operator()(const ImportCommand& command) const { return run_import(command, line); }
  int operator()(const DiagnoseCommand& command) const {
    start_fork_server();
    return run_diagnose(command, line);
  }
  int operator()(const ExportCommand& command) const {
    start_fork_server();
    return run_export(command, line);
  }
  int operator()(const NewCommand& command) const { return run_new(command, line); }
};

} // namespace

int run_command(const CommandLine& line) {
  return std::visit(Runner{line}, line.command);
}

DataFolder fitted_data(const CommandLine& line) {
  DataFolder data{line.data_folder};
  data.calibrations = line.calibrations;
  return data;
}

DataFolder data_for(const CommandLine& line, const Scenario& scenario) {
  return with_own_files(fitted_data(line), scenario);
}

void emit(const CommandLine& line, const std::string& text) {
  const auto safe = for_terminal(text); // this holds for a file too, because it will be shown on a terminal
  if (line.output.empty()) {
    fmt::print(stdout, "{}", safe);
    return;
  }
  write_file(line.output, safe);
  narrate(line, fmt::format("wrote {}", line.output.string()));
}

void write_page(const CommandLine& line, const std::filesystem::path& file, const std::function<std::string()>& page) {
  if (file.empty()) return;
  const auto text = page();
  if (text.empty()) {
    narrate(line, fmt::format("{} is not written: the answer has nothing to draw", file.string()));
    return;
  }
  write_file(file, text);
  narrate(line, fmt::format("wrote {}", file.string()));
}

void write_picture(const CommandLine& line, const PictureFiles& files, const std::function<Picture()>& picture) {
  if (files.html.empty() && files.svg.empty()) return;
  const auto shown = picture();
  write_page(line, files.html, [&] { return page_html(shown); });
  write_page(line, files.svg, [&] { return picture_svg(shown); });
}

void narrate(const CommandLine& line, const std::string& text) {
  if (!line.quiet) fmt::print(stderr, "{}\n", for_terminal(text));
}

} // namespace ddlsim
