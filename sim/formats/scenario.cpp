#include "sim/formats/scenario.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/own_files.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <set>

namespace ddlsim {

namespace {

StatedRate stated_rate_from(const JsonNode& root) {
  static constexpr std::string_view known[]{"value", "low", "high"};
  const char* const key = "one_gpu_samples_per_s";
  StatedRate rate;
  if (!root.at(key).value().is_object()) {
    rate.samples_per_s = root.positive(key);
    return rate;
  }
  const auto node = root.at(key);
  node.allow_only(known);
  rate.samples_per_s = node.positive("value");
  if (!node.has("low") && !node.has("high")) return rate;
  rate.low = node.positive("low");
  rate.high = node.positive("high");
  if (!(rate.low <= rate.samples_per_s && rate.samples_per_s <= rate.high && rate.low < rate.high))
    node.mistake(fmt::format("{:g} does not lie between {:g} and {:g}; give low, value and high in ascending order",
                             rate.samples_per_s, rate.low, rate.high));
  return rate;
}

} // namespace

SlowNode slow_node_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"compute_factor", "network_factor"};
  constexpr double most_factor = 1000;
  SlowNode slow;
  if (!node.is_object()) return slow;
  node.allow_only(known);
  slow.compute_factor = node.number_or("compute_factor", 1, 1, most_factor);
  slow.network_factor = node.number_or("network_factor", 1, 1 / most_factor, 1);
  return slow;
}

std::vector<int> gpu_counts_from(const JsonNode& root) {
  std::vector<int> counts;
  for (const auto& node : root.list("gpus")) {
    const auto& value = node.value();
    if (!value.is_number_integer() || value.get<double>() < 1 || value.get<double>() > most_ranks) {
      node.mistake(
          fmt::format("{} is not a GPU count; give {}", describe(value),
                      value.is_number() && value.get<double>() > most_ranks ? "10000000 or fewer" : "1 or more"));
      continue;
    }
    const int count = value.get<int>();
    if (!counts.empty() && count <= counts.back()) {
      node.mistake(
          fmt::format("{} comes after {}; give the counts in ascending order, each once", count, counts.back()));
    }
    counts.push_back(count);
  }
  if (root.has("gpus") && root.value()["gpus"].is_array() && root.value()["gpus"].empty())
    root.mistake_at("gpus", "no GPU count found; give one or more");
  return counts;
}

std::vector<Strategy> strategies_from(const JsonNode& root) {
  std::vector<Strategy> strategies;
  std::set<std::string> seen;
  const auto places = root.list("strategies");
  for (const auto& node : places) {
    const auto before = node.mistakes_so_far();
    strategies.push_back(strategy_from(node, StrategyUse::scenario));
    if (node.mistakes_so_far() == before && !seen.insert(label_of(strategies.back())).second)
      node.mistake(fmt::format("{} is there twice; keep one", label_of(strategies.back())));
  }
  if (root.has("strategies") && root.value()["strategies"].is_array() && places.empty())
    root.mistake_at("strategies", "no strategy found; give one or more");
  return strategies;
}

double StatedRate::width() const {
  constexpr double upper_95 = 1.6448536269514722; // of a standard normal 95 % lies below
  return low > 0 ? std::log(high / low) / (2 * upper_95) : 0;
}

/// A file of a stranger must not keep a machine busy for days: the largest question shipped has 52 points of 200
/// samples.
void refuse_endless_work(const JsonNode& root, const Scenario& scenario) {
  constexpr double most_points = 10'000;
  constexpr double most_samples = 10'000'000;
  const double points = static_cast<double>(scenario.strategies.size()) * static_cast<double>(scenario.gpus.size());
  if (points > most_points)
    root.mistake_at("gpus",
                    fmt::format("{} strategies at {} GPU counts are {:.0f} points; ask {:.0f} or fewer, the others in "
                                "another file",
                                scenario.strategies.size(), scenario.gpus.size(), points, most_points));
  else if (points * scenario.samples > most_samples)
    root.mistake_at("samples", fmt::format("{} samples of {:.0f} points are {:.0f}; ask {:.0f} or fewer in all",
                                           scenario.samples, points, points * scenario.samples, most_samples));
}

Scenario scenario_from(const JsonNode& root) {
  static constexpr std::string_view known[]{"format",
                                            "version",
                                            "name",
                                            "model",
                                            "batch_per_gpu",
                                            "precision",
                                            "wire_precision",
                                            "cluster",
                                            "gpu",
                                            "slow_node",
                                            "input",
                                            "gpus",
                                            "strategies",
                                            "preset",
                                            "transport",
                                            "rank_mapping",
                                            "gpus_per_node",
                                            "efficiency_bound",
                                            "seed",
                                            "samples",
                                            "one_gpu_samples_per_s",
                                            "series",
                                            "software",
                                            "node_placement",
                                            "neighbours",
                                            "background_traffic"};
  static const std::vector<std::string> mappings{"fill-nodes"};
  constexpr long most_samples = 100'000;
  Scenario scenario;
  root.allow_only(known);
  scenario.name = simple_name(root, "name");
  scenario.model = root.text("model");
  refuse_bare_model_name(root, "model", scenario.model);
  scenario.batch_per_gpu = root.positive("batch_per_gpu");
  scenario.precision = one_of<Precision>(root, "precision");
  scenario.wire_precision = one_of_or(root, "wire_precision", WirePrecision::fp32, known_names_of<WirePrecision>());
  scenario.cluster = root.text("cluster");
  scenario.gpu = root.text_or("gpu", "");
  scenario.gpus = gpu_counts_from(root);
  scenario.strategies = strategies_from(root);
  scenario.preset = root.text("preset");
  scenario.transport = root.one_of_or("transport", transport_names(), "");
  scenario.rank_mapping = root.one_of_or("rank_mapping", mappings, scenario.rank_mapping);
  scenario.gpus_per_node = static_cast<int>(root.integer_or("gpus_per_node", 0, 1, most_ranks));
  if (root.has("one_gpu_samples_per_s")) scenario.one_gpu = stated_rate_from(root);
  scenario.series = root.text_or("series", "");
  scenario.software = root.text_or("software", "");
  if (root.has("slow_node")) scenario.slow_node = slow_node_from(root.at("slow_node"));
  if (root.has("input")) read_input(root.at("input"), scenario.input, scenario.input_names);
  scenario.co_location = co_location_from(root);
  if (root.has("efficiency_bound")) scenario.efficiency_bound = root.positive("efficiency_bound");
  if (scenario.efficiency_bound > 1) {
    root.mistake_at("efficiency_bound",
                    fmt::format("{} is out of range; give a share, 0 to 1: 0.8 is 80 %", scenario.efficiency_bound));
  }
  scenario.seed = static_cast<std::uint64_t>(root.integer_or("seed", 1, 0, std::numeric_limits<long>::max()));
  scenario.samples = static_cast<int>(root.integer_or("samples", scenario.samples, 1, most_samples));
  refuse_endless_work(root, scenario);
  return scenario;
}

Scenario asked_with(Scenario scenario, const Strategy& strategy) {
  if (!strategy.preset.empty()) scenario.preset = strategy.preset;
  if (!strategy.transport.empty()) scenario.transport = strategy.transport;
  return scenario;
}

Scenario read_scenario(const std::filesystem::path& file, const std::vector<JsonChange>& changes,
                       const std::function<void(const Scenario&, const JsonNode&)>& look_up,
                       const std::function<void(nlohmann::json&)>& edit) {
  Scenario scenario;
  const auto change_it = [&](nlohmann::json& document) {
    for (const auto& change : changes) apply_change(document, change);
    if (edit) edit(document);
  };
  read_document(
      file, "ddlsim-scenario", 1,
      [&](const JsonNode& root) {
        scenario = scenario_from(root);
        find_own_files(scenario, root, file);
        if (look_up) look_up(scenario, root);
      },
      change_it);
  return scenario;
}

namespace {

/// What a record leaves open a scenario leaves out: the preset has it.
nlohmann::json without_what_is_open(nlohmann::json strategy) {
  for (const char* key : {"placement", "sharding"})
    if (strategy.contains(key) && strategy[key] == "unknown") strategy.erase(key);
  if (strategy.contains("servers") && strategy["servers"].contains("unknown")) strategy.erase("servers");
  return strategy;
}

} // namespace

std::string scenario_json(const Scenario& scenario) {
  const Scenario usual;
  nlohmann::ordered_json json{
      {"format", "ddlsim-scenario"},
      {"version", 1},
      {"name", scenario.name},
      {"model", scenario.model_file.empty() ? scenario.model : scenario.model_file.string()},
      {"batch_per_gpu", scenario.batch_per_gpu},
      {"precision", to_text(scenario.precision)},
      {"wire_precision", to_text(scenario.wire_precision)},
      {"cluster", scenario.cluster_folder.empty() ? scenario.cluster : scenario.cluster_folder.string()},
      {"gpus", scenario.gpus},
      {"strategies", nlohmann::ordered_json::array()},
      {"preset", scenario.preset},
      {"efficiency_bound", scenario.efficiency_bound},
      {"seed", scenario.seed},
      {"samples", scenario.samples}};
  for (const auto& strategy : scenario.strategies)
    json["strategies"].push_back(nlohmann::ordered_json(without_what_is_open(strategy_to_json(strategy))));
  for (const auto& [key, text] :
       {std::pair{"gpu", scenario.gpu_file.empty() ? scenario.gpu : scenario.gpu_file.string()},
        std::pair{"transport", scenario.transport}, std::pair{"series", scenario.series},
        std::pair{"software", scenario.software}})
    if (!text.empty()) json[key] = text;
  if (scenario.gpus_per_node > 0) json["gpus_per_node"] = scenario.gpus_per_node;
  if (scenario.one_gpu) {
    auto& stated = json["one_gpu_samples_per_s"] = {{"value", scenario.one_gpu->samples_per_s}};
    if (scenario.one_gpu->low > 0) stated["low"] = scenario.one_gpu->low;
    if (scenario.one_gpu->high > 0) stated["high"] = scenario.one_gpu->high;
  }
  if (scenario.slow_node.compute_factor != usual.slow_node.compute_factor ||
      scenario.slow_node.network_factor != usual.slow_node.network_factor)
    json["slow_node"] = {{"compute_factor", scenario.slow_node.compute_factor},
                         {"network_factor", scenario.slow_node.network_factor}};
  add_input(json, scenario);
  add_co_location(json, scenario.co_location);
  return json_text(json);
}

} // namespace ddlsim
