#include "own/new_scenario.hpp"

#include "sim/base/json.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/known_spelling.hpp"
#include "sim/formats/own_files.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the program's name for a synonym ("bfloat16", "ZeRO-3"). An unknown name is kept, and reported as a mistake
/// later.
template <class Name> std::string usual_name(const std::string& typed) {
  const auto meant = value_meant<Name>(typed);
  return meant ? to_text(*meant) : typed;
}

Cluster cluster_requested(const ScenarioRequest& request, const DataFolder& data) {
  if (!is_path(request.cluster)) {
    const auto name = spelt_like(request.cluster, list_clusters(data));
    return load_cluster(data, name.empty() ? request.cluster : name);
  }
  return read_cluster(own_cluster_folder(path_from(request.cluster, request.file)) / "cluster.json");
}

/// Returns the numbers of GPUs to predict: one, doubled inside a node, then whole nodes doubled, with the present and
/// the largest possible number.
std::vector<int> doubled_counts(const Cluster& cluster) {
  const long a_node = std::max(1, cluster.gpus_per_node);
  const long there = a_node * cluster.available_nodes;
  const long most = std::min(most_ranks, a_node * std::max(cluster.available_nodes, cluster.growth_max_nodes));
  std::vector<int> counts;
  for (long count = 1; count < a_node; count *= 2) counts.push_back(static_cast<int>(count));
  for (long nodes = 1; nodes * a_node < most; nodes *= 2) { // doubled, and whole nodes between them for a smooth curve
    counts.push_back(static_cast<int>(nodes * a_node));
    const long between = nodes + nodes / 2;
    if (between > nodes && between * a_node < most) counts.push_back(static_cast<int>(between * a_node));
  }
  counts.push_back(static_cast<int>(std::min(there, most)));
  counts.push_back(static_cast<int>(most));
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

constexpr const char* fsdp_preset = "pytorch-fsdp2";

bool can_run(const Cluster& cluster, const std::string& name, const DataFolder& data) {
  const auto presets = load_presets(data);
  const auto* preset = preset_named(presets, name);
  return preset != nullptr && transport_for(cluster, *preset) != nullptr;
}

/// Presets that run a strategy, the usual one first.
std::vector<std::string> presets_for(const std::string& strategy) {
  const auto name = value_meant<StrategyName>(strategy);
  if (name == StrategyName::fsdp) return {fsdp_preset, "pytorch-fsdp"};
  if (name && is_sharded(*name)) return {"deepspeed"};
  if (name == StrategyName::model_parallel) return {"megatron-lm"};
  return {"pytorch-ddp", "pytorch-gloo"};
}

std::string usual_preset(const Cluster& cluster, const std::vector<std::string>& strategies, const DataFolder& data) {
  const auto& first = strategies.front();
  const bool mixes_fsdp = first == "fsdp" && std::any_of(strategies.begin(), strategies.end(),
                                                         [](const auto& name) { return name != "fsdp"; });
  for (const auto& name : presets_for(mixes_fsdp ? "auto" : first))
    if (can_run(cluster, name, data)) return name;
  return "pytorch-ddp"; // its mistake then lists the transports of the cluster
}

/// The strategies as a scenario has them. Where no preset was stated, fsdp has its own beside others.
Json strategies_json(const std::vector<std::string>& names, const std::string& preset, bool stated,
                     const Cluster& cluster, const DataFolder& data, std::vector<std::string>& notes) {
  Json strategies = Json::array();
  for (const auto& name : names) {
    strategies.push_back({{"name", name}});
    if (stated || name != "fsdp" || preset == fsdp_preset || !can_run(cluster, fsdp_preset, data)) continue;
    strategies.back()["preset"] = fsdp_preset;
    notes.push_back(fmt::format("no preset stated: fsdp takes {}", fsdp_preset));
  }
  return strategies;
}

void check_scenario_text(const std::string& text, const ScenarioRequest& request, const DataFolder& data) {
  auto document = parse_json(text, request.file.string());
  if (!request.table.empty()) document["model"] = request.table;
  Mistakes mistakes("new scenario");
  const JsonNode root(document, "", mistakes);
  auto scenario = scenario_from(root);
  find_own_files(scenario, root, request.file);
  look_up_names(scenario, root, data);
  mistakes.throw_if_any();
}

} // namespace

NewScenario new_scenario(const ScenarioRequest& request, const DataFolder& data) {
  const auto cluster = cluster_requested(request, data);
  NewScenario made;
  auto counts = request.gpus;
  if (counts.empty()) counts = doubled_counts(cluster);
  std::vector<std::string> names;
  for (const auto& name : request.strategies) names.push_back(usual_name<StrategyName>(name));
  if (names.empty()) names.emplace_back("auto");
  const auto preset = request.preset.empty() ? usual_preset(cluster, names, data) : request.preset;
  if (request.preset.empty()) made.notes.push_back(fmt::format("no preset stated: {} is taken", preset));
  if (request.precision.empty()) made.notes.emplace_back("no precision stated: fp32 is taken");
  if (request.gpus.empty())
    made.notes.push_back(fmt::format("no GPU counts stated: {} are taken", fmt::join(counts, ", ")));
  nlohmann::json named{{"model", request.model}, {"cluster", request.cluster}, {"preset", preset}};
  for (auto& note : spell_as_known(named, data)) made.notes.push_back(std::move(note));
  const auto strategies = strategies_json(names, preset, !request.preset.empty(), cluster, data, made.notes);
  Json json{{"format", "ddlsim-scenario"},
            {"version", 1},
            {"name", request.file.stem().string()},
            {"model", named["model"]},
            {"batch_per_gpu", request.batch_per_gpu},
            {"precision", request.precision.empty() ? "fp32" : usual_name<Precision>(request.precision)},
            {"cluster", named["cluster"]},
            {"preset", named["preset"]},
            {"gpus", counts},
            {"strategies", strategies}};
  if (request.sequence > 0) json["sequence"] = request.sequence;
  made.text = json_text(json, 2) + "\n";
  check_scenario_text(made.text, request, data);
  return made;
}

} // namespace ddlsim
