#include "own/new_scenario.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/known_spelling.hpp"
#include "sim/formats/model_state.hpp"
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

bool can_run(const Cluster& cluster, const std::string& name, const DataFolder& data) {
  const auto presets = load_presets(data);
  const auto* preset = preset_named(presets, name);
  return preset != nullptr && transport_for(cluster, *preset) != nullptr;
}

/// Presets that run a strategy, the usual one first.
std::vector<std::string> presets_for(const std::string& strategy) {
  const auto name = value_meant<StrategyName>(strategy);
  if (name == StrategyName::fsdp) return {"pytorch-fsdp2", "pytorch-fsdp"};
  if (name && is_sharded(*name)) return {"deepspeed"};
  if (name == StrategyName::model_parallel) return {"megatron-lm"};
  return {"pytorch-ddp", "pytorch-gloo"};
}

/// Whether a strategy has a preset that runs few others.
bool has_own_preset(const std::string& strategy) {
  return strategy == to_text(StrategyName::fsdp) || strategy == to_text(StrategyName::model_parallel);
}

/// The first preset for the strategy that the cluster can run; "" where it can run none.
std::string runnable_preset(const Cluster& cluster, const std::string& strategy, const DataFolder& data) {
  for (const auto& name : presets_for(strategy))
    if (can_run(cluster, name, data)) return name;
  return "";
}

/// The preset of the first strategy that takes none of its own.
std::string usual_preset(const Cluster& cluster, const std::vector<std::string>& strategies, const DataFolder& data) {
  const auto shares = std::find_if_not(strategies.begin(), strategies.end(), has_own_preset);
  const auto preset = runnable_preset(cluster, shares == strategies.end() ? strategies.front() : *shares, data);
  return preset.empty() ? "pytorch-ddp" : preset; // its mistake then lists the transports of the cluster
}

Model model_requested(const ScenarioRequest& request, const DataFolder& data) {
  if (!request.table.empty()) return read_model(path_from(request.table, request.file));
  if (is_path(request.model)) return read_model(path_from(request.model, request.file));
  const auto name = model_meant(request.model, list_models(data));
  return load_model(data, name.empty() ? request.model : name);
}

double gpu_memory_bytes(const Cluster& cluster, const ScenarioRequest& request, const DataFolder& data) {
  if (!is_path(request.cluster)) return find_device(load_gpus(data), cluster.gpu).memory_bytes;
  const auto own = with_own_cluster(data, own_cluster_folder(path_from(request.cluster, request.file)));
  const auto gpu = is_path(cluster.gpu) ? std::filesystem::path(cluster.gpu).stem().string() : cluster.gpu;
  return find_device(load_gpus(own), gpu).memory_bytes;
}

/// What to ask where nobody says how to train: fsdp and model parallelism where one GPU cannot hold the model's state.
std::vector<std::string> usual_strategies(const Cluster& cluster, const ScenarioRequest& request,
                                          const DataFolder& data, std::vector<std::string>& notes) try {
  const auto model = model_requested(request, data);
  const double memory_bytes = gpu_memory_bytes(cluster, request, data);
  if (memory_bytes == 0 || training_state_bytes(model) <= memory_bytes) return {"auto"};
  std::vector<std::string> names{to_text(StrategyName::fsdp)};
  if (has_attention_layer(model)) names.push_back(to_text(StrategyName::model_parallel));
  std::erase_if(names, [&](const auto& name) {
    const bool is_other = !request.preset.empty() && !is_in(presets_for(name), request.preset);
    return is_other || runnable_preset(cluster, name, data).empty();
  });
  if (names.empty()) return {"auto"};
  constexpr double bytes_of_gb = 1e9;
  notes.push_back(
      fmt::format("no strategy stated: weights, gradients and optimizer are {:.0f} GB, and a GPU has {:.0f} "
                  "GB, so {} {} taken",
                  training_state_bytes(model) / bytes_of_gb, memory_bytes / bytes_of_gb, fmt::join(names, " and "),
                  names.size() > 1 ? "are" : "is"));
  return names;
} catch (const UserError&) {
  return {"auto"}; // the check of the scenario reports the mistake together with all others
}

/// The strategies as a scenario has them. A layout is searched. Where no preset was stated, a strategy with a preset of
/// its own has that beside others.
Json strategies_json(const std::vector<std::string>& names, const std::string& preset, bool stated,
                     const Cluster& cluster, const DataFolder& data, std::vector<std::string>& notes) {
  Json strategies = Json::array();
  for (const auto& name : names) {
    strategies.push_back({{"name", name}});
    if (name == to_text(StrategyName::model_parallel)) strategies.back()["layout"] = "best";
    const auto own = stated || !has_own_preset(name) ? "" : runnable_preset(cluster, name, data);
    if (own.empty() || own == preset) continue;
    strategies.back()["preset"] = own;
    notes.push_back(fmt::format("no preset stated: {} takes {}", name, own));
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
  if (names.empty()) names = usual_strategies(cluster, request, data, made.notes);
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
