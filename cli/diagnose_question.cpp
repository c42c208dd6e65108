#include "cli/diagnose_question.hpp"

#include "cli/command.hpp"
#include "cli/config_model.hpp"
#include "own/new_cluster.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/spelling.hpp"
#include "sim/formats/known_spelling.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/own_files.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace ddlsim {
namespace {

/// The model of a question about collectives alone. Such a question uses no model, but a scenario must name one.
constexpr const char* any_model = "resnet50_v1.5";

/// The facts that the records state; 0 and "" mean not stated.
struct LogFacts {
  int gpus = 0;
  int nodes = 0;
  int gpus_per_node = 0;
  std::string gpu;
  std::string transport;
  const StepRecord* step = nullptr; ///< the first step record
};

void add_facts(const RecordHead& head, int gpus, int nodes, LogFacts& facts) {
  facts.gpus = std::max(facts.gpus, gpus);
  facts.nodes = std::max(facts.nodes, nodes);
  if (nodes > 0) facts.gpus_per_node = std::max(facts.gpus_per_node, (gpus + nodes - 1) / nodes);
  if (facts.gpu.empty()) facts.gpu = head.gpu;
  if (facts.transport.empty() && head.transport != "unknown") facts.transport = head.transport;
}

LogFacts facts_of(const std::vector<MeasurementFile>& files) {
  LogFacts facts;
  for (const auto& file : files)
    for (const auto& record : file.records) {
      if (const auto* one = std::get_if<CollectiveRecord>(&record)) add_facts(one->head, one->ranks, one->nodes, facts);
      const auto* step = std::get_if<StepRecord>(&record);
      if (step == nullptr) continue;
      add_facts(step->head, step->gpus, step->nodes, facts);
      if (facts.step == nullptr) facts.step = step;
    }
  return facts;
}

/// Collects what is missing, with the options that state it.
class Missing {
public:
  void add(const std::string& option, std::string what) { list_.push_back({option, "", std::move(what)}); }
  void throw_if_any() const {
    if (!list_.empty()) throw UserError(list_);
  }

private:
  std::vector<Mistake> list_;
};

ClusterRequest request_of(const DiagnoseCommand& command, const LogFacts& facts) {
  ClusterRequest request;
  request.name = name_of_made_cluster;
  request.gpu = command.gpu.empty() ? facts.gpu : command.gpu;
  request.gpus_per_node = command.gpus_per_node > 0 ? command.gpus_per_node : facts.gpus_per_node;
  request.nodes = std::max({1, facts.nodes, command.nodes});
  if (request.gpus_per_node == 0) request.gpus_per_node = (command.ranks + request.nodes - 1) / request.nodes;
  request.networks = command.networks;
  return request;
}

/// Asks for the ports if it is unclear which are used. A run with fewer GPUs than a node has ports does not show how
/// many GPUs the node has.
void check_ports(const DiagnoseCommand& command, const Cluster& cluster) {
  const bool more_ports = std::any_of(cluster.nics.begin(), cluster.nics.end(),
                                      [&](const Nic& nic) { return nic.count > cluster.gpus_per_node; });
  if (command.gpus_per_node > 0 || !more_ports) return;
  throw UserError("--gpus-per-node", "",
                  fmt::format("missing: the log has {} GPU{} of each node, which has more network ports; give how many "
                              "GPUs a node has",
                              cluster.gpus_per_node, cluster.gpus_per_node == 1 ? "" : "s"));
}

/// Returns a cluster made of the words of the command line, without a file.
Cluster cluster_of_words(const DiagnoseCommand& command, const LogFacts& facts, const DataFolder& data,
                         const CommandLine& line) {
  const auto request = request_of(command, facts);
  Missing missing;
  if (request.gpu.empty()) missing.add("--gpu", "the log does not say which GPU; give it, or --cluster NAME");
  if (request.gpus_per_node == 0)
    missing.add("--gpus-per-node", "the log does not say how many GPUs a node has; give it");
  if (request.nodes > 1 && request.networks.empty())
    missing.add("--network", fmt::format("the log is of {} nodes; give what joins them, like \"8x400 Gbps ib\", or "
                                         "--cluster NAME",
                                         request.nodes));
  missing.throw_if_any();
  const auto made = new_cluster(request, data);
  for (const auto& note : made.notes) narrate(line, note);
  const auto document = parse_json(made.text, request.name);
  Mistakes mistakes("--network");
  auto cluster = cluster_from(JsonNode(document, "", mistakes));
  mistakes.throw_if_any();
  check_ports(command, cluster);
  return cluster;
}

/// Returns the first preset that has the log's transport; if the log states none, the first one with a transport of the
/// cluster.
std::string preset_for(const Cluster& cluster, const std::string& transport, const DataFolder& data) {
  const auto presets = load_presets(data);
  for (const char* name : {"pytorch-ddp", "pytorch-mpi", "pytorch-gloo"}) {
    const auto* preset = preset_named(presets, name);
    if (preset == nullptr) continue;
    const bool carries =
        std::find(preset->transports.begin(), preset->transports.end(), transport) != preset->transports.end();
    if (transport.empty() ? transport_for(cluster, *preset) != nullptr : carries) return name;
  }
  return "pytorch-ddp";
}

/// Sets model, batch and precision from the options, or else from the log.
void set_training(const DiagnoseCommand& command, const LogFacts& facts, Scenario& scenario) {
  const bool trains = facts.step != nullptr || !command.steps.empty();
  scenario.model = !command.model.empty() ? command.model : facts.step != nullptr ? facts.step->model : "";
  scenario.batch_per_gpu = command.batch_per_gpu > 0 ? command.batch_per_gpu
                           : facts.step != nullptr   ? facts.step->batch_per_gpu
                                                     : 0;
  if (!command.precision.empty()) scenario.precision = value_named<Precision>(command.precision).value();
  if (command.precision.empty() && facts.step != nullptr) scenario.precision = facts.step->precision;
  Missing missing;
  if (trains && scenario.model.empty()) missing.add("--model", "missing: which model was trained?");
  if (trains && scenario.batch_per_gpu == 0) missing.add("--batch-per-gpu", "missing: how many samples has a GPU?");
  missing.throw_if_any();
  if (trains) return;
  scenario.model = any_model;
  scenario.batch_per_gpu = 1;
  scenario.one_gpu = StatedRate{1};
}

} // namespace

DiagnoseCommand with_known_names(DiagnoseCommand command, const DataFolder& data) {
  const auto put = [](std::string& typed, const std::string& meant) {
    if (!typed.empty() && !meant.empty()) typed = meant;
  };
  put(command.cluster, spelt_like(command.cluster, list_clusters(data)));
  put(command.model, model_meant(command.model, list_models(data)));
  std::vector<std::string> presets;
  for (const auto& preset : load_presets(data)) presets.push_back(preset.name);
  put(command.preset, spelt_like(command.preset, presets));
  put(command.transport, transport_meant(command.transport, transport_names()));
  if (command.precision.empty()) return command;
  const auto precision = value_meant<Precision>(command.precision);
  const auto known = names_of<Precision>();
  if (!precision) throw UserError("--precision", "", unknown_name_text("precision", command.precision, known, known));
  command.precision = to_text(*precision);
  return command;
}

DiagnoseQuestion question_from(const DiagnoseCommand& command, const std::vector<MeasurementFile>& files,
                               const CommandLine& line) {
  const auto facts = facts_of(files);
  DiagnoseQuestion made;
  made.data = fitted_data(line);
  if (command.cluster.empty()) {
    made.cluster = cluster_of_words(command, facts, made.data, line);
  } else if (is_path(command.cluster)) {
    const auto folder = own_cluster_folder(command.cluster);
    made.data = with_own_cluster(made.data, folder);
    made.cluster = load_cluster(made.data, folder.filename().string());
  } else {
    made.cluster = load_cluster(made.data, command.cluster);
  }
  auto& scenario = made.scenario;
  scenario.name = "diagnose";
  scenario.cluster = made.cluster.name;
  set_training(command, facts, scenario);
  if (is_path(scenario.model)) {
    scenario.model = table_of_config(scenario.model, "command line", command.sequence, line, scenario.name_notes);
    scenario.model_file = scenario.model;
    scenario.model = scenario.model_file.stem().string();
    made.data = with_own_model(made.data, scenario);
  }
  const auto transport = command.transport.empty() ? facts.transport : command.transport;
  if (transport_named(made.cluster, transport) != nullptr) scenario.transport = transport;
  scenario.preset = command.preset.empty() ? preset_for(made.cluster, scenario.transport, made.data) : command.preset;
  scenario.gpus = {std::max(1, facts.gpus)};
  Strategy strategy;
  strategy.name = StrategyName::automatic;
  scenario.strategies = {strategy};
  return made;
}

} // namespace ddlsim
