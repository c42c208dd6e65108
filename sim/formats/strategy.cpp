#include "sim/formats/strategy.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/sharded_options.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ddlsim {

namespace {

using Rule = ServerCount::Rule;

constexpr long most_servers = 1'000'000;

const char* const best_word = "best";

/// Servers of a scenario may be the word "best" as well.
ServerCount servers_or_best(const JsonNode& node, StrategyUse use) {
  if (use == StrategyUse::record || !node.value().is_string()) return servers_from(node, use);
  const auto word = node.value().get<std::string>();
  if (word == best_word) return {Rule::best, 0};
  const auto near = nearest_name(word, {best_word});
  node.mistake(
      fmt::format("{} found; {}{{\"count\": 4}}, {{\"per_node\": 1}}, {{\"equal_workers\": true}} or \"best\" expected",
                  describe(node.value()), near.empty() ? "" : "did you mean \"best\"? "));
  return {};
}

void read_server_fields(const JsonNode& node, StrategyUse use, Strategy& strategy) {
  const bool record = use == StrategyUse::record;
  if (record || node.has("servers")) strategy.servers = servers_or_best(node.at("servers"), use);
  strategy.placement = record ? one_of<Placement>(node, "placement")
                              : one_of_or(node, "placement", Placement::unknown, known_names_of<Placement>());
  strategy.sharding = record ? one_of<Sharding>(node, "sharding")
                             : one_of_or(node, "sharding", Sharding::unknown, known_names_of<Sharding>());
  strategy.on_node_reduce = node.boolean_or("on_node_reduce", true);
  strategy.device = one_of_or(node, "device", Device::cpu);
}

/// A question names what is to run.
std::vector<std::string> scenario_names() {
  auto names = names_of<StrategyName>();
  std::erase(names, to_text(StrategyName::none));
  std::erase(names, to_text(StrategyName::all_reduce));
  return names;
}

constexpr long most_stages = 10'000;
constexpr double most_imbalance = 1000; ///< a slip of the keyboard

/// More ranks than there are anywhere are a slip of the keyboard, and no whole number of the machine.
void check_ranks(const JsonNode& node, const ModelParallelOptions& parallel) {
  constexpr double most_ranks = 1e9;
  double ranks = parallel.expert;
  for (const int degree : {parallel.tensor, parallel.context, parallel.pipeline})
    if (degree != ModelParallelOptions::best) ranks *= degree;
  if (ranks > most_ranks)
    node.mistake(
        fmt::format("these degrees need {:g} GPUs, and {:g} are the most; give smaller ones", ranks, most_ranks));
}

/// Where replicas are outside stages, ranks with the same dense parameters are not next to each other, and experts are not
/// dealt out (megatron/core/parallel_state.py refuses it, too).
void check_order(const JsonNode& node, const ModelParallelOptions& parallel) {
  if (!node.has("rank_order")) return;
  if (parallel.pipeline == 1)
    node.mistake_at("rank_order", "only a pipeline has one; leave it out, or give a \"pipeline\" of 2 stages or more");
  else if (parallel.expert > 1 && parallel.rank_order == RankOrder::replicas_last)
    node.mistake_at("rank_order",
                    "experts are dealt out over replicas that are next to each other, which \"tp-cp-pp-dp\" "
                    "has not; leave it out, or leave \"expert\" out");
}

/// Interleaving needs several pieces on each stage, and whole rounds of micro-batches (Megatron-LM demands both).
void check_degrees(const JsonNode& node, const ModelParallelOptions& parallel) {
  const bool interleaved = parallel.schedule == PipelineSchedule::interleaved;
  const bool cuts = parallel.pipeline != 1 || parallel.tensor != 1 || parallel.expert != 1 || parallel.context != 1;
  if (!cuts && parallel.data_parallel == DataParallel::all_reduce)
    node.mistake("nothing is parallel but data; give \"pipeline\", \"tensor\" or both, above 1");
  if (parallel.pipeline == 1 && node.has("schedule"))
    node.mistake_at("schedule", "only a pipeline has one; leave it out, or give a \"pipeline\" of 2 stages or more");
  if (parallel.tensor == 1 && node.has("tensor_overlap"))
    node.mistake_at("tensor_overlap",
                    "only a tensor group has what overlaps; leave it out, or give a \"tensor\" of 2 or "
                    "more");
  if (parallel.expert == 1 && node.has("expert_imbalance"))
    node.mistake_at("expert_imbalance",
                    "only experts on several ranks have it; leave it out, or give an \"expert\" of 2 "
                    "or more");
  check_ranks(node, parallel);
  check_order(node, parallel);
  const bool searched =
      parallel.pipeline == ModelParallelOptions::best || parallel.micro_batches == ModelParallelOptions::best;
  if (interleaved && !searched && parallel.micro_batches % parallel.pipeline != 0)
    node.mistake_at(
        "micro_batches",
        fmt::format("{} micro-batches are no multiple of the {} stages, which \"interleaved\" needs; give {}",
                    parallel.micro_batches, parallel.pipeline,
                    (parallel.micro_batches / parallel.pipeline + 1) * parallel.pipeline));
  if (!interleaved && node.has("virtual_stages"))
    node.mistake_at("virtual_stages",
                    "only the schedule \"interleaved\" has several pieces on a stage; leave it out, or "
                    "give that schedule");
}

/// A number, or in a question the word "best"; a record may leave open what its source does not state.
int degree_or_best(const JsonNode& node, const char* key, long most, bool may_be_open) {
  if (!may_be_open || !node.has(key) || !node.value()[key].is_string())
    return static_cast<int>(node.integer(key, 1, most));
  const auto word = node.value()[key].get<std::string>();
  if (word != best_word)
    node.mistake_at(key, fmt::format("{} found; {}a number or \"best\" expected", describe(node.value()[key]),
                                     nearest_name(word, {best_word}).empty() ? "" : "did you mean \"best\"? "));
  return ModelParallelOptions::best;
}

void read_model_parallel_fields(const JsonNode& node, StrategyUse use, Strategy& strategy) {
  auto& parallel = strategy.parallel;
  const auto before = node.mistakes_so_far();
  const bool is_question = use == StrategyUse::scenario;
  if (node.has("tensor")) parallel.tensor = degree_or_best(node, "tensor", most_stages, is_question);
  if (node.has("context")) parallel.context = degree_or_best(node, "context", most_stages, is_question);
  if (node.has("pipeline")) parallel.pipeline = degree_or_best(node, "pipeline", most_stages, is_question);
  if (parallel.pipeline != 1 || node.has("micro_batches"))
    parallel.micro_batches = degree_or_best(node, "micro_batches", most_micro_batches, true);
  parallel.schedule = one_of_or(node, "schedule", parallel.schedule);
  if (parallel.schedule == PipelineSchedule::interleaved)
    parallel.virtual_stages = static_cast<int>(node.integer("virtual_stages", 2, most_stages));
  parallel.data_parallel = one_of_or(node, "data_parallel", parallel.data_parallel);
  parallel.tensor_overlap = node.boolean_or("tensor_overlap", false);
  // A tensor group's or a pipeline's part of what alternates is not modelled.
  static const std::vector<std::string> of_blocks{"none", "selective", "full"};
  parallel.recompute = one_of_or(node, "recompute", Recompute::none, of_blocks);
  parallel.rank_order = one_of_or(node, "rank_order", parallel.rank_order);
  parallel.expert = static_cast<int>(node.integer_or("expert", 1, 1, most_stages));
  if (node.has("expert_imbalance")) parallel.expert_imbalance = node.number("expert_imbalance", 1, most_imbalance);
  if (node.mistakes_so_far() == before) check_degrees(node, parallel);
}

std::vector<std::string> known_keys(StrategyName name, StrategyUse use) {
  std::vector<std::string> keys{"name"};
  if (is_sharded(name))
    for (const char* key : {"micro_batches", "recompute", "offload"}) keys.emplace_back(key);
  if (name == StrategyName::fsdp)
    for (const char* key : {"reshard_after_forward", "backward_prefetch", "gathers_in_flight", "shard_group"})
      keys.emplace_back(key);
  if (is_model_parallel(name))
    for (const char* key : {"tensor", "pipeline", "micro_batches", "schedule", "virtual_stages", "data_parallel",
                            "tensor_overlap", "expert", "expert_imbalance", "context", "recompute", "rank_order"})
      keys.emplace_back(key);
  if (is_parameter_server(name))
    for (const char* key : {"servers", "placement", "sharding", "on_node_reduce", "device"}) keys.emplace_back(key);
  if (!is_parameter_server(name)) keys.emplace_back("library");
  if (use == StrategyUse::scenario)
    for (const char* key : {"preset", "transport", "note"}) keys.emplace_back(key);
  return keys;
}

/// "servers" of a strategy without servers is one mistake that says so, and a key as any other for the rest.
bool refuses_servers(const JsonNode& node, StrategyName name) {
  const bool refused = node.has("servers") && !is_parameter_server(name);
  if (refused)
    node.mistake_at("servers", fmt::format("{} has no servers; leave \"servers\" out, or give the name \"ps\" or "
                                           "\"ps-async\"",
                                           in_quotes(to_text(name))));
  return refused;
}

std::string servers_text(const ServerCount& servers) {
  switch (servers.rule) {
  case Rule::count:
    return fmt::format("{}", servers.value);
  case Rule::per_node:
    return fmt::format("{} a node", servers.value);
  case Rule::equal_workers:
    return "as many as workers";
  case Rule::best:
    return "best servers";
  case Rule::unknown:
    break;
  }
  return "unknown count";
}

/// "4 dedicated, bytes". What is searched is not named: "best servers", "best servers dedicated, split".
std::string servers_and_sharding(const Strategy& strategy) {
  auto text = servers_text(strategy.servers);
  if (!seeks_best_servers(strategy) || strategy.placement != Placement::unknown)
    text += " " + to_text(strategy.placement);
  if (!seeks_best_servers(strategy) || strategy.sharding != Sharding::unknown)
    text += ", " + to_text(strategy.sharding);
  return text;
}

} // namespace

Recompute recompute_of(const Strategy& strategy) {
  if (is_sharded(strategy.name)) return strategy.sharded.recompute;
  return is_model_parallel(strategy.name) ? strategy.parallel.recompute : Recompute::none;
}

bool seeks_best_servers(const Strategy& strategy) {
  return is_parameter_server(strategy.name) && strategy.servers.rule == Rule::best;
}

bool seeks_best_layout(const Strategy& strategy) {
  const auto& parallel = strategy.parallel;
  return is_model_parallel(strategy.name) &&
         (parallel.tensor == ModelParallelOptions::best || parallel.pipeline == ModelParallelOptions::best ||
          parallel.micro_batches == ModelParallelOptions::best || parallel.context == ModelParallelOptions::best);
}

ServerCount servers_from(const JsonNode& node, StrategyUse use) {
  static const std::vector<std::string> in_scenario{"count", "per_node", "equal_workers"};
  static const std::vector<std::string> in_record{"count", "per_node", "equal_workers", "unknown"};
  ServerCount servers;
  if (!node.is_object()) return servers;
  node.allow_only(use == StrategyUse::scenario ? in_scenario : in_record);
  if (node.value().size() != 1) {
    node.mistake(fmt::format("{} rules found, exactly one expected; give {{\"count\": 4}}, {{\"per_node\": 1}} or "
                             "{{\"equal_workers\": true}}",
                             node.value().size()));
  }
  for (const auto& [key, rule] : {std::pair{"count", Rule::count}, std::pair{"per_node", Rule::per_node}})
    if (node.has(key)) servers = {rule, static_cast<int>(node.integer(key, 1, most_servers))};
  for (const auto& [key, rule] :
       {std::pair{"equal_workers", Rule::equal_workers}, std::pair{"unknown", Rule::unknown}}) {
    if (!node.has(key)) continue;
    if (!node.boolean_or(key, false)) node.mistake_at(key, "only true has a meaning; give it, or another rule");
    servers = {rule, 0};
  }
  return servers;
}

Strategy strategy_from(const JsonNode& node, StrategyUse use) {
  static const auto in_scenario = scenario_names();
  static const auto in_record = names_of<StrategyName>();
  Strategy strategy;
  if (!node.is_object()) return strategy;
  const auto before = node.mistakes_so_far();
  strategy.name = one_of<StrategyName>(node, "name", use == StrategyUse::scenario ? in_scenario : in_record);
  if (node.mistakes_so_far() > before) return strategy;
  auto known = known_keys(strategy.name, use);
  if (refuses_servers(node, strategy.name)) known.emplace_back("servers"); // one mistake is enough
  node.allow_only(known);
  if (is_parameter_server(strategy.name)) read_server_fields(node, use, strategy);
  if (is_sharded(strategy.name)) read_sharded_fields(node, strategy);
  if (is_model_parallel(strategy.name)) read_model_parallel_fields(node, use, strategy);
  if (node.has("library")) strategy.library = library_version_from(node, "library");
  if (use == StrategyUse::record) return strategy;
  if (node.has("preset")) strategy.preset = node.text("preset");
  strategy.transport = node.one_of_or("transport", transport_names(), "");
  if (node.has("note")) strategy.note = node.text("note");
  return strategy;
}

namespace {

nlohmann::json degree_json(int degree) {
  return degree == ModelParallelOptions::best ? nlohmann::json(best_word) : nlohmann::json(degree);
}

void add_model_parallel(nlohmann::json& json, const ModelParallelOptions& parallel) {
  if (parallel.tensor != 1) json["tensor"] = degree_json(parallel.tensor);
  if (parallel.tensor_overlap) json["tensor_overlap"] = true;
  if (parallel.context != 1) json["context"] = degree_json(parallel.context);
  if (parallel.expert != 1) json["expert"] = parallel.expert;
  if (parallel.expert_imbalance != 1) json["expert_imbalance"] = parallel.expert_imbalance;
  if (parallel.pipeline != 1 || parallel.micro_batches != 1)
    json["micro_batches"] = degree_json(parallel.micro_batches);
  if (parallel.data_parallel != DataParallel::all_reduce) json["data_parallel"] = to_text(parallel.data_parallel);
  if (parallel.recompute != Recompute::none) json["recompute"] = to_text(parallel.recompute);
  if (parallel.pipeline == 1) return;
  json["pipeline"] = degree_json(parallel.pipeline);
  json["schedule"] = to_text(parallel.schedule);
  if (parallel.schedule == PipelineSchedule::interleaved) json["virtual_stages"] = parallel.virtual_stages;
  if (parallel.rank_order != RankOrder::stages_last) json["rank_order"] = to_text(parallel.rank_order);
}

std::string degree_text(int degree) {
  return degree == ModelParallelOptions::best ? best_word : fmt::format("{}", degree);
}

/// "model-parallel(tensor 8, 4 stages, 8 micro-batches, 1f1b)".
std::string model_parallel_text(const Strategy& strategy) {
  const auto& parallel = strategy.parallel;
  std::vector<std::string> parts;
  if (parallel.tensor != 1)
    parts.push_back("tensor " + degree_text(parallel.tensor) + (parallel.tensor_overlap ? " overlapped" : ""));
  if (parallel.context != 1) parts.push_back("context " + degree_text(parallel.context));
  if (parallel.expert != 1) parts.push_back(fmt::format("expert {}", parallel.expert));
  if (parallel.expert_imbalance != 1) parts.push_back(fmt::format("busiest {:g}", parallel.expert_imbalance));
  if (parallel.pipeline != 1) parts.push_back(degree_text(parallel.pipeline) + " stages");
  if (parallel.pipeline != 1 || parallel.micro_batches != 1)
    parts.push_back(degree_text(parallel.micro_batches) + " micro-batch" + (parallel.micro_batches == 1 ? "" : "es"));
  if (parallel.pipeline != 1) parts.push_back(to_text(parallel.schedule));
  if (parallel.schedule == PipelineSchedule::interleaved)
    parts.back() += fmt::format(" by {}", parallel.virtual_stages);
  if (parallel.rank_order != RankOrder::stages_last) parts.push_back("ranks " + to_text(parallel.rank_order));
  if (parallel.data_parallel != DataParallel::all_reduce) parts.push_back(to_text(parallel.data_parallel));
  if (parallel.recompute != Recompute::none) parts.push_back(to_text(parallel.recompute) + " recomputation");
  return fmt::format("{}({})", to_text(strategy.name), join_names(parts));
}

} // namespace

nlohmann::json servers_to_json(const ServerCount& servers) {
  switch (servers.rule) {
  case Rule::count:
    return {{"count", servers.value}};
  case Rule::per_node:
    return {{"per_node", servers.value}};
  case Rule::equal_workers:
    return {{"equal_workers", true}};
  case Rule::unknown:
    return {{"unknown", true}};
  case Rule::best:
    break;
  }
  return best_word;
}

nlohmann::json strategy_to_json(const Strategy& strategy) {
  nlohmann::json json{{"name", to_text(strategy.name)}};
  if (!strategy.preset.empty()) json["preset"] = strategy.preset;
  if (!strategy.transport.empty()) json["transport"] = strategy.transport;
  if (strategy.library) json["library"] = to_text(*strategy.library);
  if (!strategy.note.empty()) json["note"] = strategy.note;
  if (is_sharded(strategy.name)) add_sharded(json, strategy.sharded);
  if (is_model_parallel(strategy.name)) add_model_parallel(json, strategy.parallel);
  if (!is_parameter_server(strategy.name)) return json;
  json["servers"] = servers_to_json(strategy.servers);
  json["placement"] = to_text(strategy.placement);
  json["sharding"] = to_text(strategy.sharding);
  if (!strategy.on_node_reduce) json["on_node_reduce"] = false;
  if (strategy.device != Device::cpu) json["device"] = to_text(strategy.device);
  return json;
}

std::string to_text(const Strategy& strategy) {
  if (is_sharded(strategy.name)) return sharded_text(strategy);
  if (is_model_parallel(strategy.name)) return model_parallel_text(strategy);
  if (!is_parameter_server(strategy.name)) return to_text(strategy.name);
  return fmt::format("{}({}{}{})", to_text(strategy.name), servers_and_sharding(strategy),
                     strategy.on_node_reduce ? "" : ", no on-node reduce",
                     strategy.device == Device::cpu ? "" : ", on " + to_text(strategy.device));
}

std::string label_of(const Strategy& strategy) {
  const auto library = strategy.library ? " of " + to_text(*strategy.library) : "";
  return to_text(strategy) + library + (strategy.preset.empty() ? "" : " with " + strategy.preset) +
         (strategy.transport.empty() ? "" : " over " + strategy.transport);
}

int server_count(const ServerCount& servers, int workers, int nodes) {
  switch (servers.rule) {
  case Rule::count:
    return servers.value;
  case Rule::per_node:
    return servers.value * nodes;
  case Rule::equal_workers:
    return workers;
  case Rule::unknown:
  case Rule::best:
    break;
  }
  return 0;
}

} // namespace ddlsim
