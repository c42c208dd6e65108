#include "cli/command.hpp"
#include "cli/config_model.hpp"
#include "cli/plan_words.hpp"
#include "import/plain_text.hpp"
#include "own/machine.hpp"
#include "own/new_cluster.hpp"
#include "own/new_gpu.hpp"
#include "own/new_plan.hpp"
#include "own/new_scenario.hpp"
#include "own/slurm_nodes.hpp"
#include "own/topology.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/gpu_names.hpp"
#include "sim/formats/own_files.hpp"

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

/// Returns what a program prints; "" if the program is missing or fails.
std::string printed_by(const char* command) {
  constexpr std::size_t most_bytes = 16U << 20U; // bytes that are enough for scontrol on a large site
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
  // write_file() reports any error of this
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);
  write_file(file, text);
  narrate(line, fmt::format("wrote {}", file.string()));
}

/// Asks at a terminal until there is an answer. Returns nothing at the end of input.
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

/// The options that the request still lacks.
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

/// Adds the facts that were found. What the command line states has precedence.
void take_facts(const MachineFacts& facts, ClusterRequest& request) {
  if (request.gpu.empty()) request.gpu = facts.gpu;
  if (request.gpus_per_node == 0) request.gpus_per_node = facts.gpus;
  if (request.networks.empty()) request.networks = networks_of(facts);
  if (request.cpu.empty()) request.cpu = facts.cpu;
  if (request.cores == 0) request.cores = facts.cores;
  if (request.links_word.empty()) request.links_word = facts.links;
  if (request.links_seen.empty()) request.links_seen = links_of(facts);
}

void read_machine(const NewCommand& command, const CommandLine& line, ClusterRequest& request) {
  const MachineTexts texts{printed_by("nvidia-smi -L 2>/dev/null"),
                           printed_by("nvidia-smi topo -m 2>/dev/null"),
                           printed_by("nvidia-smi nvlink -s 2>/dev/null"),
                           printed_by("LC_ALL=C lscpu 2>/dev/null"),
                           printed_by("ibstat 2>/dev/null"),
                           printed_by("lstopo-no-graphics --of console 2>/dev/null")};
  const auto facts = machine_facts(texts, command.sysfs, load_gpus(DataFolder{line.data_folder}));
  for (const auto& what : facts.unseen) narrate(line, "not seen: " + what);
  take_facts(facts, request);
  if (!facts.links.empty())
    narrate(line, fmt::format("{} GPUs reach each other by {} (nvidia-smi topo -m)",
                              facts.other_kinds_of_links ? "most" : "all", facts.links));
}

/// Calls `read` on the file's text. The mistakes that it throws name the file.
template <class Read> auto read_from(const fs::path& file, const Read& read) {
  try {
    return read(read_text_file(file));
  } catch (const UserError& error) {
    const auto& first = error.mistakes().front();
    if (!first.where.empty()) throw;
    throw UserError(file.string(), "", first.what);
  }
}

void read_topology_file(const NewCommand& command, const CommandLine& line, ClusterRequest& request) {
  const auto gpus = load_gpus(DataFolder{line.data_folder});
  const auto topology = read_from(command.topology, [&](const std::string& text) { return read_topology(text, gpus); });
  for (const auto& note : topology.notes) narrate(line, fmt::format("{}: {}", command.topology.string(), note));
  take_facts(topology.facts, request);
}

/// Adds the nodes of a batch system. Their processors are those that Slurm states, because this machine may be of
/// another kind.
void take_nodes(const SlurmNodes& nodes, bool is_this_node, const CommandLine& line, ClusterRequest& request) {
  narrate(line, fmt::format("Slurm: {} nodes of {} GPUs{}", nodes.nodes, nodes.gpus,
                            nodes.gpu_type.empty() ? "" : fmt::format(" ({})", in_quotes(nodes.gpu_type))));
  if (request.nodes == 0) request.nodes = nodes.nodes;
  if (request.gpus_per_node == 0) request.gpus_per_node = nodes.gpus;
  if (request.gpu.empty() && !nodes.gpu.empty()) request.gpu = nodes.gpu_type;
  if (request.gpu.empty() && nodes.gpus > 0)
    narrate(line, fmt::format("not seen: which GPU {} is; say --gpu",
                              nodes.gpu_type.empty() ? "it" : in_quotes(nodes.gpu_type)));
  if (is_this_node) return;
  request.cores = std::min(nodes.cpus, most_cores_of_node);
  request.cpu.clear();
}

void read_slurm(const NewCommand& command, const CommandLine& line, ClusterRequest& request) {
  const bool sees_gpus = command.from_machine && request.gpus_per_node > 0 && command.gpus_per_node == 0;
  const auto gpus = load_gpus(DataFolder{line.data_folder});
  const auto match = match_gpu(request.gpu, gpus);
  const SlurmWish wish{command.slurm_gpu, command.partition, request.gpus_per_node,
                       match.gpu == nullptr ? "" : match.gpu->name, command.gpu == "none"};
  if (!command.slurm.empty()) {
    const auto nodes = read_from(
        command.slurm, [&](const std::string& text) { return chosen_nodes(read_slurm_nodes(text, gpus), wish); });
    take_nodes(nodes, sees_gpus, line, request);
    return;
  }
  std::vector<SlurmNodes> kinds;
  try {
    kinds = read_slurm_nodes(printed_by("scontrol show node 2>/dev/null"), gpus);
  } catch (const UserError&) {
    narrate(line, "not seen: how many such nodes there are: scontrol is not here, or lists none; say --nodes");
    return;
  }
  take_nodes(chosen_nodes(kinds, wish), sees_gpus, line, request);
}

/// Fills in what the command line leaves open, from this machine and from files.
void read_what_is_there(const NewCommand& command, const CommandLine& line, ClusterRequest& request) {
  std::vector<std::string> read;
  if (command.from_machine) read.emplace_back("the machine");
  if (!command.topology.empty()) read.emplace_back("a topology");
  if (!command.slurm.empty()) read.emplace_back("Slurm's nodes");
  if (read.empty()) return;
  request.stated_by =
      fmt::format("read from {} by ddlsim new cluster, and stated by the user", join_names(read, " and "));
  if (!command.topology.empty()) read_topology_file(command, line, request);
  if (command.from_machine) read_machine(command, line, request);
  if (command.from_machine || !command.slurm.empty()) read_slurm(command, line, request);
}

int run_new_cluster(const NewCommand& command, const CommandLine& line) {
  auto folder = command.name;
  if (!folder.has_filename()) folder = folder.parent_path(); // for a name like "my-cluster/"
  ClusterRequest request;
  request.name = folder.filename().string();
  request.gpu = command.gpu == "none" ? "" : command.gpu;
  request.gpus_per_node = command.gpus_per_node;
  request.nodes = command.nodes;
  request.networks = command.networks;
  request.links = command.links;
  request.most_nodes = command.most_nodes;
  read_what_is_there(command, line, request);
  const bool processors = command.gpu == "none";
  if (const auto missing = missing_of(request, processors); !missing.empty()) {
    if (isatty(STDIN_FILENO) == 0) return refuse_use(missing, "; a terminal would be asked for them");
    ask_for_rest(request);
  }
  DataFolder data{line.data_folder};
  if (is_path(request.gpu)) { // the cluster's file then has the path of the GPU relative to its own folder
    const auto file = fs::absolute(request.gpu).lexically_normal();
    data = with_own_gpu(data, file);
    request.gpu = file.stem().string();
    request.gpu_path = file.lexically_relative(fs::absolute(folder).lexically_normal()).string();
  }
  const auto made = new_cluster(request, data);
  for (const auto& note : made.notes) narrate(line, note);
  write_new(folder / "cluster.json", made.text, line);
  narrate(line,
          fmt::format("now: ddlsim new scenario NAME --model MODEL --cluster ./{} --batch N; `predict` of it says "
                      "what to measure first",
                      folder.string()));
  return 0;
}

int run_new_gpu(const NewCommand& command, const CommandLine& line) {
  auto file = command.name;
  if (file.extension() != ".json") file += ".json";
  const auto made = new_gpu({file.stem().string(), command.like, command.peaks, command.memory, command.bandwidth,
                             command.power, join_names(command.plan.prices, ","), command.year},
                            DataFolder{line.data_folder});
  for (const auto& note : made.notes) narrate(line, note);
  write_new(file, made.text, line);
  narrate(line, fmt::format("now: ddlsim new cluster NAME --gpu ./{} --gpus-per-node N --nodes N", file.string()));
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
  std::vector<std::string> notes;
  const auto table = table_of_config(command.model, file, command.sequence, line, notes);
  const auto made =
      new_scenario({file, command.model, table == command.model ? "" : table, command.sequence, command.cluster,
                    command.batch_per_gpu, command.precision, command.preset, command.gpus, command.strategies},
                   DataFolder{line.data_folder});
  notes.insert(notes.end(), made.notes.begin(), made.notes.end());
  for (const auto& note : notes) narrate(line, note);
  write_new(file, made.text, line);
  return 0;
}

int run_new_plan(const NewCommand& command, const CommandLine& line) {
  if (command.model.empty()) return refuse_use({"--model"}, "");
  auto words = command.plan;
  words.file = command.name;
  if (words.file.extension() != ".json") words.file += ".json";
  words.model = command.model;
  words.batch_per_gpu = command.batch_per_gpu;
  words.precision = command.precision;
  words.preset = command.preset;
  words.gpus = command.gpus;
  words.power = command.power;
  settle_words(words, command.sequence, line);
  const auto made = new_plan(words, DataFolder{line.data_folder});
  for (const auto& note : made.notes) narrate(line, note);
  write_new(words.file, made.text, line);
  narrate(line, fmt::format("now: ddlsim plan {}", words.file.string()));
  return 0;
}

} // namespace

int run_new(const NewCommand& command, const CommandLine& line) {
  if (command.what == "gpu") return run_new_gpu(command, line);
  if (command.what == "plan") return run_new_plan(command, line);
  return command.what == "cluster" ? run_new_cluster(command, line) : run_new_scenario(command, line);
}

} // namespace ddlsim
