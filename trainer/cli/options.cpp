#include "trainer/cli/options.hpp"

#include "sim/base/error.hpp"
#include "trainer/cli/commands.hpp"
#include "trainer/cli/train_command.hpp"
#include "trainer/compute/replay_compute.hpp"
#include "trainer/run_error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <iostream>
#include <sstream>

namespace ddltrain {
namespace {

constexpr int failed_status = 1;
constexpr int wrong_use = 2;

struct DescribeArguments {
  std::string model;
  DescribeModuleOptions module; ///< options for a module; the output file belongs to both kinds of describe
  bool list = false;
};

void run_describe(const DescribeArguments& arguments) {
  const bool module = !arguments.module.file.empty();
  if ((arguments.list ? 1 : 0) + (module ? 1 : 0) + (arguments.model.empty() ? 0 : 1) != 1)
    throw ddlsim::UserError("", "", "describe takes a MODEL, --torchscript FILE or --list, one of them");
  if (module != !arguments.module.inputs.empty())
    throw ddlsim::UserError("", "", "--torchscript FILE and --input SHAPE go together; give both or none");
  if (arguments.list) return list_command();
  if (module) return describe_module_command(arguments.module);
  describe_command(arguments.model, arguments.module.output_file);
}

void add_describe(CLI::App& program, DescribeArguments& arguments) {
  CLI::App* describe = program.add_subcommand("describe", "Write the layer table of a model");
  describe->add_option("MODEL", arguments.model, "Model variant; --list shows all");
  auto& module = arguments.module;
  describe->add_option("--torchscript", module.file,
                       "In place of a MODEL: a TorchScript module (torch.jit.save), which is run");
  describe
      ->add_option("--input", module.inputs,
                   "Of the module: shape of an argument for one sample, like 3x224x224 or 128:int64 (token numbers); "
                   "once for each argument")
      ->allow_extra_args(false);
  describe->add_option("--name", module.name, "Of the module: the model's name; that of the output file without it");
  describe->add_option("--output", module.output_file, "File to write; standard output without it");
  describe->add_flag("--list", arguments.list, "Show the model variants");
  describe->callback([&arguments] { run_describe(arguments); });
}

/// Prints the help, or what is wrong with the words themselves. Returns the exit status.
int explain(const CLI::App& program, const CLI::ParseError& error) {
  std::ostringstream message;
  if (program.exit(error, std::cout, message) == 0) return 0;
  fmt::print(stderr, "ddltrain: {}", message.str());
  return wrong_use;
}

int report(const std::exception& error, int status) {
  fmt::print(stderr, "ddltrain: {}\n", failure_text(error));
  return status;
}

} // namespace

int run_command_line(int argc, char** argv) {
  ask_for_exact_timers(); // threads and ranks that are started later inherit this
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
    return explain(program, error);
  } catch (const ddlsim::UserError& error) {
    return report(error, wrong_use);
  } catch (const std::exception& error) {
    return report(error, failed_status);
  }
  return status;
}

} // namespace ddltrain
