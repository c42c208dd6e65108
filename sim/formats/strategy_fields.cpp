#include "sim/formats/strategy_fields.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/expert_fields.hpp"
#include "sim/formats/layout_fields.hpp"
#include "sim/formats/parallel_checks.hpp"

#include <fmt/format.h>

#include <set>

namespace ddlsim {

namespace {

using Rule = ServerCount::Rule;

constexpr long most_servers = 1'000'000;
constexpr long most_degree = 10'000;
constexpr long most_micro_batches = 1'000'000;
constexpr long most_in_flight = 1000;
constexpr long most_of_group = 1'000'000;
const char* const word_of_best = "best";
const char* const node_word = "node";

/// Returns the names that a question may use: all but `none` and `all-reduce`, which do not say what to run.
std::vector<std::string> strategy_names(StrategyUse use) {
  auto names = names_of<StrategyName>();
  if (use == StrategyUse::record) return names;
  std::erase(names, to_text(StrategyName::none));
  std::erase(names, to_text(StrategyName::all_reduce));
  return names;
}

/// Returns the names of the strategies for which `holds` is true.
std::vector<std::string> names_where(bool (*holds)(StrategyName)) {
  std::vector<std::string> names;
  for (const auto name : values_of<StrategyName>())
    if (holds(name)) names.push_back(to_text(name));
  return names;
}

const std::vector<std::string>& with_servers() {
  static const auto names = names_where(is_parameter_server);
  return names;
}
const std::vector<std::string>& without_servers() {
  static const auto names = names_where([](StrategyName name) { return !is_parameter_server(name); });
  return names;
}
const std::vector<std::string>& with_micro_batches() {
  static const auto names = names_where(
      [](StrategyName name) { return is_sharded(name) || (family_of(name) == StrategyFamily::all_reduce); });
  return names;
}
const std::vector<std::string> fsdp{"fsdp"};
const std::vector<std::string> zero{"zero-1", "zero-2"};
const std::vector<std::string> model_parallel{"model-parallel"};

ValueType<int> degree_type(StrategyUse use, long most) {
  return use == StrategyUse::scenario ? number_or_word(1, most, word_of_best, ModelParallelOptions::best)
                                      : whole_type(1, most);
}

/// The word that asks for a search of the whole layout. A file without it asks for none.
ValueType<bool> best_layout_type() {
  return {{ValueKind::constant, {word_of_best}},
          [](const JsonNode& place) { return !place.as_one_of({word_of_best}).empty(); },
          [](const bool&) { return nlohmann::ordered_json(word_of_best); }};
}

nlohmann::ordered_json servers_to_json(const ServerCount& servers) {
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
  return word_of_best;
}

ServerCount servers_from(const JsonNode& node, const std::vector<std::string>& rules) {
  ServerCount servers;
  if (!node.is_object()) return servers;
  node.allow_only(rules);
  if (node.value().size() != 1)
    node.mistake(fmt::format("{} rules found, exactly one expected; give {{\"count\": 4}}, {{\"per_node\": 1}} or "
                             "{{\"equal_workers\": true}}",
                             node.value().size()));
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

/// The servers of a strategy in a question, which may also be the word "best".
ValueType<ServerCount> servers_or_best_type() {
  auto type = servers_type(StrategyUse::scenario);
  const ValueShape best{ValueKind::constant, {word_of_best}};
  ValueShape shape{ValueKind::either};
  shape.parts = {best, type.shape};
  type.shape = shape;
  type.read = [read = type.read](const JsonNode& node) -> ServerCount {
    if (!node.value().is_string()) return read(node);
    const auto word = node.value().get<std::string>();
    if (word == word_of_best) return {Rule::best, 0};
    node.mistake(fmt::format(
        "{} found; {}{{\"count\": 4}}, {{\"per_node\": 1}}, {{\"equal_workers\": true}} or \"best\" expected",
        describe(node.value()), nearest_name(word, {word_of_best}).empty() ? "" : "did you mean \"best\"? "));
    return {};
  };
  return type;
}

std::vector<Field<Strategy>> rows_of_servers() {
  return {
      optional("servers", &Strategy::servers, servers_or_best_type(),
               "how many; \"best\": predict searches the count, and placement and sharding where they are left out; "
               "the preset's if not given")
          .only_where("name", with_servers()),
      optional("placement", &Strategy::placement, name_of_type<Placement>(known_names_of<Placement>()),
               "of servers; the preset's if not given")
          .only_where("name", with_servers()),
      optional("sharding", &Strategy::sharding, name_of_type<Sharding>(known_names_of<Sharding>()),
               "how tensors are dealt out over servers; the preset's if not given")
          .only_where("name", with_servers())};
}

std::vector<Field<Strategy>> rows_of_recorded_servers() {
  return {required("servers", &Strategy::servers, servers_type(StrategyUse::record), "how many")
              .only_where("name", with_servers()),
          required("placement", &Strategy::placement, name_of_type<Placement>(), "of servers")
              .only_where("name", with_servers()),
          required("sharding", &Strategy::sharding, name_of_type<Sharding>(), "how tensors are dealt out over servers")
              .only_where("name", with_servers())};
}

std::vector<Field<Strategy>> rows_of_any_servers() {
  return {optional("on_node_reduce", &Strategy::on_node_reduce, boolean_type(),
                   "a node's GPUs sum before gradients leave for servers; true if not given")
              .only_where("name", with_servers()),
          optional("device", &Strategy::device, name_of_type<Device>(), "where servers add up; cpu if not given")
              .only_where("name", with_servers())};
}

/// What is recomputed; in questions also the word "best".
ValueType<Recompute> recompute_type(StrategyUse use) {
  auto names = names_of<Recompute>();
  if (use == StrategyUse::record) std::erase(names, to_text(Recompute::best));
  return name_of_type<Recompute>(names);
}

std::vector<Field<Strategy>> rows_of_sharded() {
  const auto of = [](auto member) { return within(&Strategy::sharded, member); };
  return {optional("micro_batches", of(&ShardedOptions::micro_batches), whole_type(1, most_micro_batches),
                   "that a GPU's batch is cut into; 1 if not given")
              .only_where("name", with_micro_batches()),
          optional("recompute", of(&ShardedOptions::recompute), recompute_type(StrategyUse::record),
                   "what of a transformer's blocks is computed again for backward; none if not given")
              .only_where("name", with_micro_batches()),
          optional("offload", of(&ShardedOptions::offload), name_of_type<Offload>({"none", "optimizer"}),
                   "what of the state is in host memory, where processors update it; none if not given")
              .only_where("name", zero),
          optional("offload", of(&ShardedOptions::offload), name_of_type<Offload>(),
                   "what of the state is in host memory, where processors update it; none if not given")
              .only_where("name", fsdp),
          optional("reshard_after_forward", of(&ShardedOptions::reshard_after_forward), boolean_type(),
                   "a unit's parameters are freed after forward; true if not given")
              .only_where("name", fsdp),
          optional("backward_prefetch", of(&ShardedOptions::backward_prefetch), boolean_type(),
                   "the next unit is gathered before this one's gradients are scattered; true if not given")
              .only_where("name", fsdp),
          optional("gathers_in_flight", of(&ShardedOptions::gathers_in_flight), whole_type(1, most_in_flight),
                   "units gathered or in use at the same time; 2 if not given")
              .only_where("name", fsdp),
          optional("shard_group", of(&ShardedOptions::shard_group),
                   number_or_word(2, most_of_group, node_word, ShardedOptions::a_node),
                   "GPUs that share one copy of the state; GPUs with the same part in different groups all-reduce its "
                   "gradients (hybrid sharding); all if not given")
              .only_where("name", fsdp)};
}

bool has_stages(const Strategy& strategy) {
  return strategy.parallel.pipeline != 1;
}

bool states_schedule(const Strategy& strategy) {
  const bool is_searched =
      strategy.parallel.best_layout && strategy.parallel.virtual_stages == ModelParallelOptions::best;
  return has_stages(strategy) && !is_searched;
}

bool has_micro_batches(const Strategy& strategy) {
  return has_stages(strategy) || strategy.parallel.micro_batches != 1;
}

std::vector<Field<Strategy>> rows_of_degrees(StrategyUse use) {
  const auto of = [](auto member) { return within(&Strategy::parallel, member); };
  const auto micro_batches = number_or_word(1, most_micro_batches, word_of_best, ModelParallelOptions::best);
  return {
      optional("tensor", of(&ModelParallelOptions::tensor), degree_type(use, most_degree),
               "GPUs that compute each layer together; 1 if not given")
          .only_where("name", model_parallel),
      optional("context", of(&ModelParallelOptions::context), degree_type(use, most_degree),
               "GPUs, or tensor groups, that hold a part of every sequence each; 1 if not given")
          .only_where("name", model_parallel),
      optional("pipeline", of(&ModelParallelOptions::pipeline), degree_type(use, most_degree), "stages; 1 if not given")
          .only_where("name", model_parallel),
      optional("micro_batches", of(&ModelParallelOptions::micro_batches), micro_batches,
               "that the batch of a replica, all its stages together, is cut into; needed with a pipeline")
          .written_where(has_micro_batches,
                         [write = micro_batches.write](const Strategy& strategy) {
                           return write(strategy.parallel.micro_batches);
                         })
          .only_where("name", model_parallel)};
}

/// What replicas do with gradients; left out where predict searches it.
Field<Strategy> data_parallel_row() {
  auto row = optional("data_parallel", within(&Strategy::parallel, &ModelParallelOptions::data_parallel),
                      name_of_type<DataParallel>(), "what replicas do with gradients; all-reduce if not given")
                 .only_where("name", model_parallel);
  row.is_left_out = [usual = row.is_left_out](const Strategy& strategy) {
    return strategy.parallel.shard_group == searched_replicas || (usual && usual(strategy));
  };
  return row;
}

std::vector<Field<Strategy>> rows_of_schedule(StrategyUse use) {
  const auto of = [](auto member) { return within(&Strategy::parallel, member); };
  return {
      optional("schedule", of(&ModelParallelOptions::schedule), name_of_type<PipelineSchedule>(),
               "the order of a stage's micro-batches; 1f1b if not given")
          .written_where(states_schedule, [](const Strategy& strategy) { return to_text(strategy.parallel.schedule); })
          .only_where("name", model_parallel),
      required("virtual_stages", of(&ModelParallelOptions::virtual_stages),
               use == StrategyUse::scenario ? number_or_word(2, most_degree, word_of_best, ModelParallelOptions::best)
                                            : whole_type(2, most_degree),
               "pieces of the model on each stage; \"best\" may also choose one, which is 1f1b")
          .only_where("schedule", {"interleaved"}),
      data_parallel_row(),
      optional("tensor_overlap", of(&ModelParallelOptions::tensor_overlap), boolean_type(),
               "gathers and scatters inside layers run beside the layers' compute; false if not given")
          .only_where("name", model_parallel),
      optional("recompute", of(&ModelParallelOptions::recompute), recompute_type(use),
               "what of a transformer's blocks is computed again for backward; none if not given")
          .only_where("name", model_parallel),
      optional("rank_order", of(&ModelParallelOptions::rank_order), name_of_type<RankOrder>(),
               "how the ranks of a pipeline are numbered, fastest first: replicas and then stages (Megatron-LM), or "
               "stages and then replicas (Llama 3); tp-cp-dp-pp if not given")
          .only_where("name", model_parallel)};
}

std::vector<Field<Strategy>> rows_of_questions() {
  return {optional("layout", within(&Strategy::parallel, &ModelParallelOptions::best_layout), best_layout_type(),
                   "predict searches the degrees, schedule and recomputation that are left out, and what replicas do: "
                   "zero-1, fsdp or both, as the preset can")
              .only_where("name", model_parallel),
          optional("preset", &Strategy::preset, text_type(), "in place of the question's"),
          optional("transport", &Strategy::transport, word_type(transport_names()), "in place of the question's"),
          optional("note", &Strategy::note, text_type(), "your words on this strategy")};
}

void check_degrees_of(const JsonNode& node, Strategy& strategy, StrategyUse use) {
  if (!is_model_parallel(strategy.name)) return;
  if (strategy.parallel.best_layout) open_layout(node, strategy.parallel);
  check_degrees(node, strategy.parallel, use);
}

FieldTable<Strategy> make_strategy_fields(StrategyUse use) {
  FieldTable<Strategy> table{
      {required("name", &Strategy::name, name_of_type<StrategyName>(strategy_names(use)),
                "how gradients are combined")},
      [use](const JsonNode& node, Strategy& strategy) { check_degrees_of(node, strategy, use); }};
  const auto add = [&](const std::vector<Field<Strategy>>& rows) {
    table.fields.insert(table.fields.end(), rows.begin(), rows.end());
  };
  add(use == StrategyUse::scenario ? rows_of_servers() : rows_of_recorded_servers());
  add(rows_of_any_servers());
  add(rows_of_sharded());
  add(rows_of_degrees(use));
  add(expert_fields(degree_type(use, most_degree)));
  add(rows_of_schedule(use));
  add(rows_of_layout());
  add({optional("library", &Strategy::library, library_version_type(),
                "communication library and version: \"nccl 2.18.5\"")
           .only_where("name", without_servers())});
  if (use == StrategyUse::scenario) add(rows_of_questions());
  return table;
}

} // namespace

const FieldTable<Strategy>& strategy_fields(StrategyUse use) {
  static const auto of_questions = make_strategy_fields(StrategyUse::scenario);
  static const auto of_records = make_strategy_fields(StrategyUse::record);
  return use == StrategyUse::scenario ? of_questions : of_records;
}

ValueType<ServerCount> servers_type(StrategyUse use) {
  ValueShape only_true{ValueKind::constant};
  only_true.is_true = true;
  const auto number = whole_type(1, most_servers).shape;
  ValueShape shape{ValueKind::object};
  shape.fields = {{"count", Presence::optional, number, "in all"},
                  {"per_node", Presence::optional, number, "on each node"},
                  {"equal_workers", Presence::optional, only_true, "as many as workers"}};
  if (use == StrategyUse::record) shape.fields.push_back({"unknown", Presence::optional, only_true, "nobody says"});
  shape.fewest_items = 1;
  shape.most_items = 1;
  std::vector<std::string> rules;
  for (const auto& field : shape.fields) rules.push_back(field.name);
  return {shape, [rules](const JsonNode& place) { return servers_from(place, rules); }, servers_to_json};
}

void require_micro_batches(const JsonNode& place, const Strategy& strategy) {
  if (!is_model_parallel(strategy.name) || strategy.parallel.pipeline == 1 || place.has("micro_batches") ||
      strategy.parallel.best_layout)
    return;
  place.mistake_at("micro_batches", "missing beside \"pipeline\"; give the number of micro-batches, or \"best\"");
}

ValueType<std::vector<Strategy>> strategies_type(MicroBatches micro_batches) {
  auto type = list_type(object_type(strategy_fields(StrategyUse::scenario)), 1);
  type.read = [read = type.read, micro_batches](const JsonNode& place) {
    const auto before = place.mistakes_so_far();
    auto strategies = read(place);
    if (place.mistakes_so_far() > before) return strategies;
    std::set<std::string> seen;
    const auto places = place.elements();
    for (std::size_t i = 0; i < strategies.size(); ++i)
      if (const auto label = label_of(strategies[i]); !seen.insert(label).second)
        places[i].mistake(fmt::format("{} is there twice; keep one", label));
    if (micro_batches == MicroBatches::stated)
      for (std::size_t i = 0; i < strategies.size(); ++i) require_micro_batches(places[i], strategies[i]);
    return strategies;
  };
  return type;
}

ValueType<std::optional<LibraryVersion>> library_version_type() {
  ValueShape shape{ValueKind::text};
  shape.pattern = library_version_pattern;
  return {shape, [](const JsonNode& place) { return as_library_version(place); },
          [](const std::optional<LibraryVersion>& version) {
            return nlohmann::ordered_json(version ? to_text(*version) : "");
          }};
}

Strategy strategy_from(const JsonNode& node, StrategyUse use) {
  const auto before = node.mistakes_so_far();
  auto strategy = read_object(node, strategy_fields(use));
  if (use == StrategyUse::scenario && node.mistakes_so_far() == before) require_micro_batches(node, strategy);
  return strategy;
}

nlohmann::json strategy_to_json(const Strategy& strategy, StrategyUse use) {
  return nlohmann::json(write_fields(strategy_fields(use), strategy));
}

} // namespace ddlsim
