#include "sim/base/error.hpp"
#include "trainer/campaign/child.hpp"
#include "trainer/campaign/launch_words.hpp"
#include "trainer/cli/options.hpp"
#include "trainer/communication/local_job.hpp"
#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/communication/mpi_session.hpp"
#include "trainer/framework/script.hpp"
#include "trainer/run_error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace ddltrain {
namespace {

/// Whether the script talks over MPI itself, and so becomes the rank, because MPI can be started once in a process.
bool uses_mpi(const std::string& name) {
  return name.rfind("mpi-", 0) == 0 || name.rfind("horovod-", 0) == 0;
}

[[noreturn]] void become(const FrameworkScript& script) {
  std::vector<char*> words = {const_cast<char*>(script.python.c_str()),
                              const_cast<char*>(script.file.c_str())};                               // NOLINT
  for (const std::string& word : script.arguments) words.push_back(const_cast<char*>(word.c_str())); // NOLINT
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  throw RunError(script.python + " cannot be started: " + std::strerror(errno));
}

void run_rank(const MpiSession& mpi, const Supervised& what) {
  MpiCommunicator world(MPI_COMM_WORLD, WaitPolicy::share_cores); // ranks share cores, because their children compute
  if (what.servers >= world.size()) {
    throw ddlsim::UserError(
        "", "", fmt::format("{} dedicated servers leave no worker among {} ranks", what.servers, world.size()));
  }
  const RankUse use = supervise(world, mpi.host(), what);
  std::string text = fmt::format("{:.2f} s of processor time", use.cpu_s);
  if (use.received_bytes > 0) {
    text += fmt::format("; {:.0f} bytes came to its host, {:.0f} left it", use.received_bytes, use.sent_bytes);
  }
  const std::vector<std::string> used = world.gather(text);
  if (world.rank() != 0) return;
  for (int server = world.size() - what.servers; server < world.size(); ++server) {
    fmt::print("server on rank {}: {}\n", server, used[static_cast<std::size_t>(server)]);
  }
}

int framework_command(const FrameworkWords& typed) {
  const FrameworkArguments arguments = framework_arguments({typed.words.begin() + 2, typed.words.end()});
  Supervised what{find_script(typed.name, own_program()), arguments.interface, arguments.servers};
  what.script.arguments = arguments.rest;
  const int processes = std::max(arguments.ranks, 1) + arguments.servers;
  if (!started_by_launcher() && processes > 1) return run_local_job(processes, typed.words, arguments.cores_per_rank);
  if (uses_mpi(what.script.name)) become(what.script);
  run_as_rank([&](const MpiSession& mpi) { run_rank(mpi, what); });
  return 0;
}

} // namespace

void add_framework(CLI::App& program, FrameworkWords& words, int& status) {
  CLI::App* const framework = program.add_subcommand(
      "framework", "Train by a real framework: pytorch-ddp, mxnet-kvstore, ... ; --help after NAME shows its options");
  framework->prefix_command(); // words after NAME belong to the script
  framework->callback([framework, &words, &status] {
    const std::vector<std::string> rest = framework->remaining();
    if (rest.empty() || words.words.size() < 2 || words.words.front() != "framework") {
      throw ddlsim::UserError("", "", "framework takes the NAME of a script in trainer/frameworks, then its options");
    }
    words.name = words.words.at(1);
    status = framework_command(words);
  });
}

} // namespace ddltrain
