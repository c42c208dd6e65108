// ddlsim-mpi: ddlsim under mpirun or srun. Sweeps, plans and validations are dealt out over the ranks; every other
// command is rank 0's alone. The answer is ddlsim's, to the byte.
#include "cli/command.hpp"
#include "cli/mpi/mpi_ranks.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace {

using ddlsim::CommandLine;
using ddlsim::MpiRanks;

bool is_dealt_out(const CommandLine& line) {
  if (const auto* validate = std::get_if<ddlsim::ValidateCommand>(&line.command)) return !validate->collectives;
  if (std::holds_alternative<ddlsim::PlanCommand>(line.command)) return true;
  const auto* predict = std::get_if<ddlsim::PredictCommand>(&line.command);
  return predict != nullptr && ddlsim::is_sweep(*predict);
}

/// Runs the command as rank 0 does, but silently, and takes rank 0's tasks. Only rank 0 reports mistakes.
void work_for_the_first(CommandLine line, MpiRanks& ranks) {
  line.quiet = true;
  line.output.clear(); // what is finished is kept beside it, by rank 0
  line.run_tasks = [&ranks](const std::vector<int>&, const ddlsim::TaskWork& work,
                            const ddlsim::TaskEnded&) -> std::vector<ddlsim::TaskResult> { ranks.serve(work); };
  try {
    ddlsim::run_command(line);
  } catch (const ddlsim::NoMoreTasks&) {
  } catch (const std::exception&) {
  }
}

int run(const CommandLine& line, MpiRanks& ranks) {
  if (ranks.is_first()) {
    auto distributed = line;
    distributed.run_tasks = [&ranks](const std::vector<int>& tasks, const ddlsim::TaskWork& work,
                                     const ddlsim::TaskEnded& ended) { return ranks.distribute(tasks, work, ended); };
    const int code = ddlsim::run_command(distributed);
    if (ranks.missing() > 0)
      ddlsim::narrate(line, fmt::format("{} ranks could not begin: do all nodes see the same files?", ranks.missing()));
    return code;
  }
  if (std::freopen("/dev/null", "w", stdout) != nullptr && is_dealt_out(line)) work_for_the_first(line, ranks);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  MpiRanks ranks;
  const int code = ddlsim::run_program(
      argc, argv, [&](const CommandLine& line) { return run(line, ranks); }, ranks.is_first());
  ranks.leave_to_others();
  return code;
}
