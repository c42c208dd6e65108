#include "cli/diagnose_logs.hpp"

#include "cli/command.hpp"
#include "cli/diagnose_placement.hpp"
#include "import/importers.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/text_file.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <set>
#include <utility>

namespace ddlsim {
namespace {

/// A name that importers expect from `--set`, and the option of `diagnose` that takes its place.
struct OptionOf {
  const char* set;
  const char* option;
};
constexpr OptionOf options_of_diagnose[] = {{"--set model=VALUE", "--model NAME"},
                                            {"--set batch_per_gpu=VALUE", "--batch-per-gpu N"},
                                            {"--set precision=VALUE", "--precision NAME"},
                                            {"--set gpus=VALUE", "--ranks N"},
                                            {"--set ranks=N", "--ranks N"},
                                            {"--set nodes=N", "--nodes N"}};

std::vector<Mistake> in_own_options(std::vector<Mistake> mistakes) {
  for (auto& one : mistakes)
    for (const auto& [set, option] : options_of_diagnose)
      for (auto at = one.what.find(set); at != std::string::npos; at = one.what.find(set))
        one.what.replace(at, std::string_view(set).size(), option);
  return mistakes;
}

ImportContext context_for(const DiagnoseCommand& command, const LogContext& log_context, const DataFolder& data) {
  ImportContext context;
  context.cluster = log_context.cluster;
  context.gpu = log_context.gpu;
  context.columns = command.columns;
  context.cluster_gpus_per_node = log_context.gpus_per_node;
  return with_shipped_names(context, data);
}

/// The number of nodes that `--ranks` GPUs fill, if the cluster is known.
int nodes_of(const DiagnoseCommand& command, const ImportContext& context, const LogContext& log_context) {
  if (command.nodes > 0) return command.nodes;
  const auto cluster = context.find_cluster(log_context.cluster);
  const int per_node = cluster ? cluster->gpus_per_node : log_context.gpus_per_node;
  return per_node > 0 && command.ranks > 0 ? (command.ranks - 1) / per_node + 1 : 0;
}

Imported import_log(const std::filesystem::path& file, const DiagnoseCommand& command, const LogContext& log_context,
                    ImportContext context) {
  LogSource source(file);
  const auto kind = guess_kind(source);
  if (kind.empty() || makes_model(kind))
    throw UserError(file.string(), "",
                    "this is no log that is known by its content; `ddlsim import KIND FILE` makes records of it, "
                    "which can be given here");
  const bool collectives = importer_of(kind).figures == LogFigures::collectives;
  context.given = collectives ? log_context.collectives : log_context.steps;
  if (command.ranks > 0) context.given[collectives ? "ranks" : "gpus"] = std::to_string(command.ranks);
  const int nodes = nodes_of(command, context, log_context);
  if (nodes > 0 && collectives) context.given["nodes"] = std::to_string(nodes);
  try {
    return importer_of(kind).import(std::move(source), context);
  } catch (const UserError& error) {
    throw UserError(in_own_options(error.mistakes()));
  }
}

std::string place_of(const std::filesystem::path& file, int line) {
  return fmt::format("{}:{}", file.filename().string(), line);
}

/// Returns why a step cannot be compared with the scenario's; "" if it can.
std::string why_left_out(const StepRecord& step, const Scenario& scenario) {
  constexpr double same_batch = 1e-9;
  if (step.model != scenario.model) return fmt::format("is of {}, the scenario of {}", step.model, scenario.model);
  if (std::abs(step.batch_per_gpu / scenario.batch_per_gpu - 1) > same_batch)
    return fmt::format("has {:g} samples a GPU, the scenario {:g}", step.batch_per_gpu, scenario.batch_per_gpu);
  if (step.precision != scenario.precision)
    return fmt::format("is in {}, the scenario in {}", to_text(step.precision), to_text(scenario.precision));
  if (step.head.suspect) return "is marked suspect";
  return "";
}

/// Turns the records of one file into observations, and reports those that it leaves out.
class ObservationReader {
public:
  ObservationReader(const MeasurementFile& file, const Scenario& scenario, const Cluster& cluster,
                    const CommandLine& line)
      : file_(file), scenario_(scenario), line_(line),
        gpus_per_node_(std::max(1, scenario.gpus_per_node > 0 ? scenario.gpus_per_node : cluster.gpus_per_node)) {}

  void take(std::vector<Observation>& all) {
    for (const auto& record : file_.records) {
      const auto where = place_of(file_.file, head_of(record).line);
      if (const auto* step = std::get_if<StepRecord>(&record)) take_step(*step, where, all);
      if (const auto* collective = std::get_if<CollectiveRecord>(&record)) take_collective(*collective, where, all);
    }
    for (const auto& [gpus, nodes] : elsewhere_)
      narrate(line_, fmt::format("{}: {} GPUs on {} nodes are left out: the scenario has {} GPUs of each node",
                                 file_.file.filename().string(), gpus, nodes, gpus_per_node_));
    for (const auto& operation : not_compared_)
      narrate(line_, fmt::format("{}: {} was read: not compared, because it is not timed alone",
                                 file_.file.filename().string(), operation));
  }

private:
  void take_step(const StepRecord& step, const std::string& where, std::vector<Observation>& all) {
    if (!stands_alike(step.gpus, step.nodes)) return;
    const auto why = why_left_out(step, scenario_);
    if (why.empty()) all.push_back({Measured::step, step.gpus, 0, step.iteration_s, where});
    if (!why.empty()) narrate(line_, fmt::format("{} {}: left out", where, why));
  }

  void take_collective(const CollectiveRecord& one, const std::string& where, std::vector<Observation>& all) {
    const auto what = collective_named(one.operation);
    if (!what) not_compared_.insert(one.operation);
    if (!stands_alike(one.ranks, one.nodes)) return;
    if (what && one.size_bytes > 0 && one.time_s > 0)
      all.push_back({*what, one.ranks, one.size_bytes, one.time_s, where});
  }

  bool stands_alike(int gpus, int nodes) {
    if (fills_nodes(gpus, nodes, gpus_per_node_)) return true;
    elsewhere_.emplace(gpus, nodes);
    return false;
  }

  const MeasurementFile& file_;
  const Scenario& scenario_;
  const CommandLine& line_;
  int gpus_per_node_;
  std::set<std::pair<int, int>> elsewhere_; ///< numbers of GPUs and nodes of runs with another placement
  std::set<std::string> not_compared_;
};

/// Reads a measured step such as "64=412 ms".
Observation step_from(const std::string& text) {
  const auto equals = text.find('=');
  int gpus = 0;
  const auto* const end = text.data() + std::min(equals, text.size());
  const auto read = std::from_chars(text.data(), end, gpus);
  if (equals == std::string::npos || read.ec != std::errc() || read.ptr != end || gpus < 1)
    throw UserError("--step", "", fmt::format("{} found; give GPUS=TIME, like 64=\"412 ms\"", in_quotes(text)));
  try {
    return {Measured::step, gpus, 0, parse_quantity(text.substr(equals + 1), Dimension::time), "--step " + text};
  } catch (const UserError& error) {
    throw UserError("--step", "", error.mistakes().front().what);
  }
}

} // namespace

LogContext log_context_of(const Scenario& scenario, const std::string& transport) {
  return {scenario.cluster,
          "",
          0,
          {{"transport", transport},
           {"model", scenario.model},
           {"batch_per_gpu", fmt::format("{}", scenario.batch_per_gpu)},
           {"precision", to_text(scenario.precision)}},
          {{"transport", transport}}};
}

LogContext log_context_of(const DiagnoseCommand& command) {
  LogContext log_context{command.cluster, command.gpu, command.gpus_per_node, {}, {}};
  if (!command.model.empty()) log_context.steps["model"] = command.model;
  if (command.batch_per_gpu > 0) log_context.steps["batch_per_gpu"] = fmt::format("{}", command.batch_per_gpu);
  if (!command.precision.empty()) log_context.steps["precision"] = command.precision;
  if (!command.transport.empty())
    log_context.steps["transport"] = log_context.collectives["transport"] = command.transport;
  return log_context;
}

bool is_scenario(const std::filesystem::path& file) {
  constexpr std::size_t enough_bytes = 4096;
  std::ifstream stream(file, std::ios::binary);
  std::string text(enough_bytes, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{' && text.find("\"ddlsim-scenario\"") != std::string::npos;
}

std::vector<MeasurementFile> read_logs(const DiagnoseCommand& command, const LogContext& log_context,
                                       const DataFolder& data, const CommandLine& line) {
  const auto context = context_for(command, log_context, data);
  std::vector<MeasurementFile> all;
  for (const auto& file : command.logs) {
    if (file.extension() == ".jsonl") {
      all.push_back(read_measurements(file));
      continue;
    }
    auto imported = import_log(file, command, log_context, context);
    for (const auto& note : imported.notes) narrate(line, fmt::format("{}: {}", file.filename().string(), note));
    all.push_back(std::move(imported.measurements));
    all.back().file = file;
  }
  return all;
}

std::vector<Observation> observations_of(const std::vector<MeasurementFile>& files, const DiagnoseCommand& command,
                                         const Scenario& scenario, const Cluster& cluster, const CommandLine& line) {
  std::vector<Observation> all;
  for (const auto& file : files) ObservationReader(file, scenario, cluster, line).take(all);
  for (const auto& step : command.steps) all.push_back(step_from(step));
  return all;
}

} // namespace ddlsim
