#include "trainer/campaign/run_campaign.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/own_files.hpp"
#include "trainer/campaign/child.hpp"
#include "trainer/campaign/launcher.hpp"
#include "trainer/campaign/part.hpp"
#include "trainer/campaign/slurm_launcher.hpp"
#include "trainer/records/disturbance.hpp"
#include "trainer/run_error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <thread>
#include <tuple>

namespace ddltrain {
namespace {

namespace fs = std::filesystem;

/// Share of this machine's cores beyond which ranks that imitate many hosts wait for a core and not for the network.
/// Rings of 16 hosts began to deviate at 1.7 of 2 cores.
constexpr double busy_share = 0.85;

struct Plan {
  CampaignOptions options; ///< the options, with absolute paths
  Campaign campaign;
  std::vector<Part> all;    ///< all parts of the campaign
  std::vector<Part> chosen; ///< the parts that --only and --nodes choose
};

bool contains(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

void check_only(const std::vector<std::string>& only, const Campaign& campaign) {
  std::vector<std::string> known;
  for (const CampaignRun& run : campaign.runs) {
    known.push_back(run.name);
    known.push_back(run.command);
  }
  for (const std::string& name : only) {
    if (!contains(known, name)) {
      throw ddlsim::UserError("--only", "", ddlsim::unknown_name_text("run of the campaign", name, known, known));
    }
  }
}

Plan plan_of(CampaignOptions options) {
  options.data_folder = fs::weakly_canonical(options.data_folder);
  const fs::path cluster = cluster_folder(options.data_folder, options.cluster);
  if (ddlsim::is_path(options.cluster)) options.cluster = cluster; // a batch job starts in another folder
  if (options.output_folder.empty()) options.output_folder = cluster / "measurements";
  options.output_folder = fs::weakly_canonical(options.output_folder);
  options.program = options.program.empty() ? own_program() : fs::weakly_canonical(options.program).string();
  Plan plan;
  plan.campaign = read_campaign(options.data_folder, options.cluster);
  plan.all = parts_of(plan.campaign);
  check_only(options.only, plan.campaign);
  for (const Part& part : plan.all) {
    const bool named = options.only.empty() || contains(options.only, part.run) || contains(options.only, part.command);
    const bool sized = options.nodes.empty() ||
                       std::find(options.nodes.begin(), options.nodes.end(), part.nodes) != options.nodes.end();
    if (named && sized) {
      plan.chosen.push_back(part);
    }
  }
  plan.options = std::move(options);
  return plan;
}

LaunchJob job_of(const Plan& plan, const Part& part) {
  const PartFiles files = files_of(plan.options.output_folder, part);
  LaunchJob job;
  job.words = {plan.options.program};
  job.words.insert(job.words.end(), part.arguments.begin(), part.arguments.end());
  job.words.insert(job.words.end(), {"--output", files.running});
  job.nodes = part.nodes;
  job.ranks_per_node = part.ranks_per_node;
  job.folder = plan.options.data_folder;
  job.log = files.log;
  job.time_limit_s = part.time_limit_s;
  job.rate_Bps = part.rate_Bps;
  return job;
}

/// Returns what identifies a measurement: its arguments, and not where programs and files are.
std::string line_of(const Part& part) {
  return shell_line(part.arguments);
}

std::vector<Part> unfinished(const Plan& plan) {
  std::vector<Part> parts;
  for (const Part& part : plan.chosen) {
    const PartFiles files = files_of(plan.options.output_folder, part);
    if (!is_measured(files, line_of(part)) || (plan.options.repeat_suspect && has_suspect(files))) {
      parts.push_back(part);
    }
  }
  return parts;
}

/// Puts parts of one node count and one link rate together, so that their network is made once.
void by_nodes(std::vector<Part>& parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return std::tie(a.nodes, a.rate_Bps) < std::tie(b.nodes, b.rate_Bps);
  });
}

std::string last_lines(const fs::path& file) {
  constexpr std::size_t shown_letters = 600; // most characters that are shown
  std::ifstream stream(file);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  return text.size() <= shown_letters ? text : "..." + text.substr(text.size() - shown_letters);
}

/// What this machine's cores did while a part ran on it.
struct Load {
  std::string what; ///< text such as "others kept 0.02 of 2 cores busy"
  bool disturbs = false;
};

/// Returns the load of a part. Only their own number holds up ranks that run before others, when they imitate more
/// hosts than there are cores for. Usual ranks may use every core, and what others use holds them up. `most` is the
/// number of busy cores that does no harm; 0 is the usual one.
Load load_of(const Launcher& launcher, const CommandEnd& end, const CoreTime& begin, double most) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (launcher.goes_first()) {
    const double busy = end.cpu_s / end.seconds;
    return {fmt::format("{:.2f} of {} cores busy with it", busy, cores), busy > (most > 0 ? most : busy_share * cores)};
  }
  const double others = others_busy_cores(begin, core_time(), end.cpu_s, cores);
  const double left_idle = cores - end.cpu_s / end.seconds;
  return {fmt::format("others kept {:.2f} of {} cores busy", others, cores),
          others > (most > 0 ? most : harmless_cores(left_idle))};
}

/// Runs one part. Returns the text about it. Throws RunError when it failed.
std::string run_part(const Plan& plan, const Part& part, Launcher& launcher, const SignalWatch& signals) {
  const PartFiles files = files_of(plan.options.output_folder, part);
  const LaunchJob job = job_of(plan, part);
  launcher.prepare(job, signals);
  write_output_file(files.log, "# " + line_of(part) + "\n");
  fs::remove(files.running);
  Command command;
  command.words = launcher.words(job);
  command.environment = launcher.environment();
  command.folder = job.folder;
  command.goes_first = launcher.goes_first();
  command.log = job.log;
  command.time_limit_s = job.time_limit_s;
  const CoreTime begin = core_time();
  const CommandEnd end = run_command(command, signals);
  if (end.out_of_time || end.status != 0) {
    const std::string what = end.out_of_time ? fmt::format("not done after {:.0f} s", command.time_limit_s)
                                             : fmt::format("exit status {}", end.status);
    throw RunError(
        fmt::format("{}: {}; {} ends with:\n{}", part.name, what, files.log.string(), last_lines(files.log)));
  }
  std::string summary = fmt::format("{:.1f} s", end.seconds);
  Load load;
  if (launcher.ranks_are_here(part.nodes)) {
    load = load_of(launcher, end, begin, plan.campaign.launcher.busy_cores);
    summary += ", " + load.what;
  }
  accept(files, load.disturbs ? load.what : "");
  return summary + (has_suspect(files) ? ", suspect" : "");
}

std::string failures_text(const std::vector<std::string>& failures, std::size_t of) {
  std::string text = fmt::format("{} of {} parts failed:", failures.size(), of);
  for (const std::string& failure : failures) {
    text += "\n" + failure;
  }
  return text;
}

void collect(const Plan& plan, const CampaignOutput& output) {
  std::set<std::string> runs;
  for (const Part& part : plan.chosen) {
    if (runs.insert(part.run).second && collect_run(plan.options.output_folder, part.run, plan.all)) {
      output.progress("wrote " + plan.options.output_folder + "/" + part.run + ".jsonl");
    }
  }
}

/// Puts a batch job whose time is up back into the queue, unless it finished nothing, because the next one would not
/// either.
void go_on_later(const Plan& plan, std::size_t finished, const CampaignOutput& output) {
  if (finished == 0) {
    output.progress("the job's time is up before its first part was done; give a longer \"job_time_limit_s\"");
  } else {
    output.progress(requeue_slurm_job(plan.campaign.launcher.resubmissions));
  }
}

void run_here(const Plan& plan, const CampaignOutput& output) {
  std::vector<Part> parts = unfinished(plan);
  by_nodes(parts);
  output.progress(fmt::format("{} parts, {} of them to run", plan.chosen.size(), parts.size()));
  std::vector<std::string> failures;
  if (!parts.empty()) {
    const SignalWatch signals;
    const std::unique_ptr<Launcher> launcher = make_launcher(plan.campaign.launcher);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string number = fmt::format("[{}/{}] {}", i + 1, parts.size(), parts[i].name);
      try {
        output.progress(number + ": " + run_part(plan, parts[i], *launcher, signals));
      } catch (const RunError& error) {
        failures.emplace_back(error.what());
        output.progress(number + ": failed");
      } catch (const Interrupted& stop) {
        if (stop.time_is_up() && inside_slurm_job()) go_on_later(plan, i - failures.size(), output);
        throw;
      }
    }
  }
  collect(plan, output);
  if (!failures.empty()) {
    throw RunError(failures_text(failures, parts.size()));
  }
}

SlurmJob slurm_job(const Plan& plan, std::int64_t nodes, std::int64_t ranks_per_node) {
  const CampaignOptions& options = plan.options;
  SlurmJob job;
  job.nodes = nodes;
  job.ranks_per_node = ranks_per_node;
  job.name = fmt::format("ddltrain-{}-n{}", plan.campaign.cluster, nodes);
  job.folder = options.data_folder;
  job.log = options.output_folder + "/parts/" + job.name + ".log";
  job.words = {own_program(),       "measure",      "--cluster",           options.cluster, "--data",
               options.data_folder, "--output",     options.output_folder, "--nodes",       std::to_string(nodes),
               "--program",         options.program};
  if (!options.only.empty()) {
    job.words.insert(job.words.end(), {"--only", fmt::format("{}", fmt::join(options.only, ","))});
  }
  if (options.repeat_suspect) {
    job.words.emplace_back("--repeat-suspect");
  }
  job.environment = own_environment();
  return job;
}

/// Submits a batch job for each node count, so that small runs neither wait for nor hold the nodes of large ones.
void submit(const Plan& plan, const CampaignOutput& output) {
  std::map<std::int64_t, std::int64_t> ranks_of_nodes;
  for (const Part& part : unfinished(plan)) {
    std::int64_t& ranks = ranks_of_nodes[part.nodes];
    ranks = std::max(ranks, part.ranks_per_node);
  }
  if (ranks_of_nodes.empty()) {
    output.progress("every part is measured");
  }
  for (const auto& [nodes, ranks_per_node] : ranks_of_nodes) {
    const SlurmJob job = slurm_job(plan, nodes, ranks_per_node);
    const std::string text = slurm_script(plan.campaign.launcher, job);
    if (plan.options.dry_run) {
      output.plan(text);
      continue;
    }
    const std::string script = plan.options.output_folder + "/parts/" + job.name + ".sbatch";
    write_output_file(script, text);
    output.progress(fmt::format("submitted {} as job {}", script, submit_to_slurm(script)));
  }
}

void show(const Plan& plan, const CampaignOutput& output) {
  const std::unique_ptr<Launcher> launcher = make_launcher(plan.campaign.launcher);
  std::vector<Part> parts = unfinished(plan);
  by_nodes(parts);
  for (const Part& part : parts) {
    output.plan(part.name + ": " + shell_line(launcher->words(job_of(plan, part))));
  }
}

} // namespace

void run_campaign(const CampaignOptions& options, const CampaignOutput& output) {
  const Plan plan = plan_of(options);
  const bool outside = plan.campaign.launcher.kind == LauncherKind::slurm && !inside_slurm_job();
  if (!options.dry_run) {
    fs::create_directories(fs::path(plan.options.output_folder) / "parts");
  }
  if (outside) {
    submit(plan, output);
  } else if (options.dry_run) {
    show(plan, output);
  } else {
    run_here(plan, output);
  }
}

} // namespace ddltrain
