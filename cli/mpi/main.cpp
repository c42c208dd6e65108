// ddlsim-mpi is ddlsim under mpirun or srun. The tasks of sweeps, plans and validations are distributed over the ranks,
// and rank 0 alone runs every other command. The answer has the same bytes as that of ddlsim.
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

/// Runs the same command as rank 0 without output, and executes tasks of rank 0. Only rank 0 reports mistakes.
void work_for_the_first(CommandLine line, MpiRanks& ranks) {
  line.quiet = true;
  line.output.clear(); // only rank 0 keeps finished tasks beside the output
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
