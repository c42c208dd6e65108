#include "trainer/campaign/run_campaign.hpp"
#include "trainer/cli/checks.hpp"
#include "trainer/cli/options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace ddltrain {
namespace {

void run(const CampaignOptions& options) {
  CampaignOutput output;
  output.progress = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  output.plan = [](const std::string& line) { fmt::print("{}\n", line); };
  run_campaign(options, output);
}

} // namespace

void add_measure_command(CLI::App& program) {
  CLI::App* measure = program.add_subcommand("measure", "Run the campaign of a cluster: platforms/NAME/campaign.json");
  const auto options = std::make_shared<CampaignOptions>();
  measure->add_option("--cluster", options->cluster, "Folder name under platforms/, or the path of an own cluster")
      ->required();
  measure->add_option("--data", options->data_folder, "Folder with platforms/ and scenarios/; runs start in it");
  measure->add_option("--output", options->output_folder, "Folder for records; the cluster's measurements without it");
  measure->add_option("--only", options->only, "Runs of these names or commands")->delimiter(',');
  measure->add_option("--nodes", options->nodes, "Parts of these node counts")
      ->delimiter(',')
      ->check(whole_above_zero());
  measure->add_option("--program", options->program, "Program whose subcommands are run; this one without it");
  measure->add_flag("--dry-run", options->dry_run, "Show what would be started, start nothing");
  measure->add_flag("--repeat-suspect", options->repeat_suspect, "Measure disturbed parts again");
  measure->callback([options] { run(*options); });
}

} // namespace ddltrain
