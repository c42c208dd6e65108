#include "trainer/cli/options.hpp"

#include "sim/base/error.hpp"
#include "trainer/cli/framework_command.hpp"
#include "trainer/cli/measure_cli.hpp"
#include "trainer/cli/measure_command.hpp"
#include "trainer/cli/model_commands.hpp"
#include "trainer/cli/train_command.hpp"
#include "trainer/compute/replay_compute.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace ddltrain {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUse = 2;

struct DescribeArguments {
  std::string model;
  std::string output_file;
  bool list = false;
};

void add_describe(CLI::App& program, DescribeArguments& arguments) {
  CLI::App* describe = program.add_subcommand("describe", "Write the layer table of a model");
  describe->add_option("MODEL", arguments.model, "Model variant; --list shows all");
  describe->add_option("--output", arguments.output_file, "File to write; standard output without it");
  describe->add_flag("--list", arguments.list, "Show the model variants");
  describe->callback([&arguments] {
    if (arguments.list != arguments.model.empty()) {
      throw ddlsim::UserError("", "", "describe takes a MODEL or --list, one of them");
    }
    if (arguments.list) {
      list_command();
    } else {
      describe_command(arguments.model, arguments.output_file);
    }
  });
}

int report(const std::exception& error, int status) {
  fmt::print(stderr, "ddltrain: {}\n", error.what());
  return status;
}

} // namespace

int run_command_line(int argc, char** argv) {
  ask_for_exact_timers(); // threads and ranks started later inherit it
  CLI::App program("Trains real networks and measures what the simulator needs", "ddltrain");
  program.require_subcommand(1);
  DescribeArguments describe;
  add_describe(program, describe);
  add_measure_command(program);
  MeasureArguments measure;
  int status = 0;
  add_measuring(program, measure, {argv + 1, argv + argc}, status);
  TrainArguments train;
  train.words.assign(argv + 1, argv + argc);
  add_train(program, train, status);
  FrameworkWords framework;
  framework.words = train.words;
  add_framework(program, framework, status);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : kWrongUse;
  } catch (const ddlsim::UserError& error) {
    return report(error, kWrongUse);
  } catch (const std::exception& error) {
    return report(error, kFailed);
  }
  return status;
}

} // namespace ddltrain
