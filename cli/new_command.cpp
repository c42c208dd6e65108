#include "cli/commands.hpp"
#include "import/plain_text.hpp"
#include "own/machine.hpp"
#include "own/new_files.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/text_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <iostream>
#include <memory>
#include <system_error>
#include <unistd.h>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

/// What a program prints; "" when there is none or it fails.
std::string printed_by(const char* command) {
  constexpr std::size_t most_bytes = 16U << 20U; // of scontrol on a large site
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(popen(command, "r"), pclose);
  std::string text;
  char chunk[4096];
  if (!stream) return "";
  for (std::size_t got = 1; got > 0 && text.size() < most_bytes;) {
    got = std::fread(chunk, 1, sizeof chunk, stream.get());
    text.append(chunk, got);
  }
  return text;
}

void write_new(const fs::path& file, const std::string& text, const CommandLine& line) {
  std::error_code ignored;
  if (fs::exists(file, ignored))
    throw UserError(file.string(), "",
                    "this file is there already and stays as it is; give another name, or remove it");
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored); // write_file tells what is wrong
  write_file(file, text);
  narrate(line, fmt::format("wrote {}", file.string()));
}

/// Asks at a terminal until there is an answer; nothing at the end of input.
std::string ask(const std::string& question) {
  std::string answer;
  while (answer.empty()) {
    fmt::print(stderr, "{} ", question);
    std::fflush(stderr);
    if (!std::getline(std::cin, answer)) return "";
    answer = trim(answer);
  }
  return answer;
}

int ask_number(const std::string& question) {
  const auto text = ask(question);
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    throw UserError("", "", fmt::format("{} found, a number expected", in_quotes(text)));
  return number;
}

int refuse_use(const std::vector<std::string>& missing, const char* more) {
  constexpr int wrong_use = 2;
  fmt::print(stderr, "ddlsim: missing: {}{}\n", join_names(missing), more);
  return wrong_use;
}

/// What the request lacks, by option.
std::vector<std::string> missing_of(const ClusterRequest& request, bool processors) {
  std::vector<std::string> missing;
  if (request.gpu.empty() && !processors) missing.emplace_back("--gpu");
  if (request.gpus_per_node == 0) missing.emplace_back("--gpus-per-node");
  if (request.nodes == 0) missing.emplace_back("--nodes");
  if (request.networks.empty() && request.nodes != 1) missing.emplace_back("--network");
  return missing;
}

void ask_for_rest(ClusterRequest& request) {
  if (request.gpu.empty()) {
    request.gpu = ask("Which GPU does a node have, as `ddlsim list gpus` names it (none for processors)?");
    if (request.gpu == "none") request.gpu.clear();
  }
  if (request.gpus_per_node == 0) request.gpus_per_node = ask_number("How many of them are in a node?");
  if (request.nodes == 0) request.nodes = ask_number("How many nodes are there?");
  if (request.networks.empty() && request.nodes != 1)
    request.networks.push_back(ask("Which network does a node have, like 8x400 Gbps ib (ports, rate, kind)?"));
}

void read_machine(const NewCommand& command, const CommandLine& line, ClusterRequest& request) {
  const MachineTexts texts{printed_by("nvidia-smi -L 2>/dev/null"),
                           printed_by("nvidia-smi topo -m 2>/dev/null"),
                           printed_by("nvidia-smi nvlink -s 2>/dev/null"),
                           printed_by("LC_ALL=C lscpu 2>/dev/null"),
                           command.slurm.empty() ? printed_by("scontrol show node 2>/dev/null")
                                                 : read_text_file(command.slurm),
                           printed_by("ibstat 2>/dev/null"),
                           printed_by("lstopo-no-graphics --of console 2>/dev/null")};
  const auto facts = machine_facts(texts, command.sysfs, load_gpus(DataFolder{line.data_folder}));
  for (const auto& what : facts.unseen) narrate(line, "not seen: " + what);
  if (request.gpu.empty()) request.gpu = facts.gpu;
  if (request.gpus_per_node == 0) request.gpus_per_node = facts.gpus;
  if (request.nodes == 0) request.nodes = facts.nodes;
  if (request.networks.empty()) request.networks = networks_of(facts);
  request.cpu = facts.cpu;
  request.cores = facts.cores;
  request.links_word = facts.links;
  request.links_seen = links_of(facts);
  if (!facts.links.empty())
    narrate(line, fmt::format("{} GPUs reach each other by {} (nvidia-smi topo -m)",
                              facts.other_kinds_of_links ? "most" : "all", facts.links));
  request.stated_by = "read from the machine by ddlsim new cluster --from-machine, and stated by the user";
}

int run_new_cluster(const NewCommand& command, const CommandLine& line) {
  auto folder = command.name;
  if (!folder.has_filename()) folder = folder.parent_path(); // "my-cluster/"
  ClusterRequest request;
  request.name = folder.filename().string();
  request.gpu = command.gpu == "none" ? "" : command.gpu;
  request.gpus_per_node = command.gpus_per_node;
  request.nodes = command.nodes;
  request.networks = command.networks;
  request.links = command.links;
  request.most_nodes = command.most_nodes;
  if (command.from_machine) read_machine(command, line, request);
  const bool processors = command.gpu == "none";
  if (const auto missing = missing_of(request, processors); !missing.empty()) {
    if (isatty(STDIN_FILENO) == 0) return refuse_use(missing, "; a terminal would be asked for them");
    ask_for_rest(request);
  }
  const auto made = new_cluster(request, DataFolder{line.data_folder});
  for (const auto& note : made.notes) narrate(line, note);
  write_new(folder / "cluster.json", made.text, line);
  narrate(line,
          fmt::format("now: ddlsim new scenario NAME --model MODEL --cluster ./{} --batch N; `predict` of it says "
                      "what to measure first",
                      folder.string()));
  return 0;
}

int run_new_scenario(const NewCommand& command, const CommandLine& line) {
  std::vector<std::string> missing;
  if (command.model.empty()) missing.emplace_back("--model");
  if (command.cluster.empty()) missing.emplace_back("--cluster");
  if (command.batch_per_gpu == 0) missing.emplace_back("--batch");
  if (!missing.empty()) return refuse_use(missing, "");
  auto file = command.name;
  if (file.extension() != ".json") file += ".json";
  const auto made = new_scenario({file, command.model, command.cluster, command.batch_per_gpu, command.precision,
                                  command.preset, command.gpus, command.strategies},
                                 DataFolder{line.data_folder});
  for (const auto& note : made.notes) narrate(line, note);
  write_new(file, made.text, line);
  return 0;
}

} // namespace

int run_new(const NewCommand& command, const CommandLine& line) {
  return command.what == "cluster" ? run_new_cluster(command, line) : run_new_scenario(command, line);
}

} // namespace ddlsim
