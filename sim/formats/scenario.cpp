#include "sim/formats/scenario.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/own_files.hpp"
#include "sim/formats/question_fields.hpp"
#include "sim/formats/strategy_fields.hpp"
#include "sim/formats/tf32.hpp"
#include "sim/formats/trained_part_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <set>

namespace ddlsim {

namespace {

constexpr double most_factor_of_node = 1000;
constexpr long most_tokens = 100'000'000; ///< of a sample; more is a typing error

StatedRate stated_rate_from(const JsonNode& place) {
  static constexpr std::string_view known[]{"value", "low", "high"};
  StatedRate rate;
  if (!place.value().is_object()) {
    rate.samples_per_s = place.as_positive();
    return rate;
  }
  const auto before = place.mistakes_so_far();
  place.allow_only(known);
  rate.samples_per_s = place.positive("value");
  if (!place.has("low") && !place.has("high")) return rate;
  rate.low = place.positive("low");
  rate.high = place.positive("high");
  if (place.mistakes_so_far() > before) return rate;
  if (!(rate.low <= rate.samples_per_s && rate.samples_per_s <= rate.high && rate.low < rate.high))
    place.mistake(fmt::format("{:g} does not lie between {:g} and {:g}; give low, value and high in ascending order",
                              rate.samples_per_s, rate.low, rate.high));
  return rate;
}

nlohmann::ordered_json stated_rate_to_json(const StatedRate& rate) {
  nlohmann::ordered_json json{{"value", rate.samples_per_s}};
  if (rate.low > 0) json["low"] = rate.low;
  if (rate.high > 0) json["high"] = rate.high;
  return json;
}

/// A rate, or an object with a rate and its 90 % interval.
ValueType<std::optional<StatedRate>> stated_rate_type() {
  ValueShape with_interval{ValueKind::object};
  const ValueShape rate{ValueKind::positive};
  with_interval.fields = {{"value", Presence::required, rate, "the rate"},
                          {"low", Presence::optional, rate, "lower end of the 90 % interval"},
                          {"high", Presence::optional, rate, "upper end of the 90 % interval"}};
  ValueShape shape{ValueKind::either};
  shape.parts = {rate, with_interval};
  return {shape, [](const JsonNode& place) -> std::optional<StatedRate> { return stated_rate_from(place); },
          [](const std::optional<StatedRate>& stated) { return stated_rate_to_json(stated.value_or(StatedRate{})); }};
}

} // namespace

ValueType<SlowNode> slow_node_type() {
  return object_type<SlowNode>(
      {{optional("compute_factor", &SlowNode::compute_factor, number_type(1, most_factor_of_node),
                 "how many times as long its GPUs take; 1 if not given"),
        optional("network_factor", &SlowNode::network_factor, number_type(1 / most_factor_of_node, 1),
                 "what its NIC reaches of the others' rate; 1 if not given")}});
}

ValueType<std::uint64_t> seed_type() {
  constexpr long most = std::numeric_limits<long>::max();
  auto shape = whole_type(0, most).shape;
  return {shape, [=](const JsonNode& place) { return static_cast<std::uint64_t>(place.as_integer(0, most)); },
          [](const std::uint64_t& seed) { return nlohmann::ordered_json(seed); }};
}

ValueType<std::vector<int>> gpu_counts_type() {
  auto type = distinct(list_type(whole_type(1, most_ranks), 1));
  type.read = [read = type.read](const JsonNode& place) {
    const auto before = place.mistakes_so_far();
    auto counts = read(place);
    if (place.mistakes_so_far() > before) return counts;
    const auto places = place.elements();
    for (std::size_t i = 1; i < counts.size(); ++i)
      if (counts[i] < counts[i - 1])
        places[i].mistake(
            fmt::format("{} comes after {}; give the counts in ascending order, each once", counts[i], counts[i - 1]));
    return counts;
  };
  return type;
}

void check_micro_batch(const JsonNode& place, const Strategy& strategy, bool is_stated) {
  if (!is_stated) return require_micro_batches(place, strategy);
  if (place.has("micro_batches"))
    place.mistake_at("micro_batches", "follows from the stated \"micro_batch\"; leave one of them out");
  if (seeks_best_layout(strategy))
    place.mistake("its layout is searched, and the micro-batches with it; leave \"micro_batch\" out");
}

void check_optimizer(const std::vector<JsonNode>& places, const std::vector<Strategy>& strategies,
                     const std::optional<Optimizer>& optimizer) {
  if (!optimizer) return; // the GPU's own update is all that an optimizer changes
  for (std::size_t i = 0; i < places.size() && i < strategies.size(); ++i)
    if (is_parameter_server(strategies[i].name) || strategies[i].sharded.offload != Offload::none)
      places[i].mistake("no GPU updates parameters here, so that \"optimizer\" says nothing; leave it out, or this "
                        "strategy");
}

double StatedRate::width() const {
  constexpr double upper_95 = 1.6448536269514722; // 95 % of a standard normal distribution lie below this value
  return low > 0 ? std::log(high / low) / (2 * upper_95) : 0;
}

namespace {

/// Refuses questions that would keep a machine busy for days, as an untrusted file might ask. The largest shipped
/// question has 52 points of 200 samples.
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

constexpr long most_samples_of_scenario = 100'000;

/// Exactly one of three keys says how large an iteration's batch is.
void check_batch(const JsonNode& root, const Scenario& scenario) {
  constexpr const char* keys[]{"batch_per_gpu", "global_batch", "global_batch_tokens"};
  int stated = 0;
  for (const char* key : keys)
    if (root.has(key) && ++stated > 1)
      root.mistake_at(key, "a batch is stated twice; leave all but one of \"batch_per_gpu\", \"global_batch\" and "
                           "\"global_batch_tokens\" out (--set /KEY=null takes one out)");
  const auto places = root.list("strategies");
  for (std::size_t i = 0; i < places.size() && i < scenario.strategies.size(); ++i)
    check_micro_batch(places[i], scenario.strategies[i], scenario.micro_batch > 0);
}

void check_scenario(const JsonNode& root, Scenario& scenario) {
  refuse_bare_model_name(root, "model", scenario.model);
  check_co_location(root, scenario.co_location);
  check_tf32_keys(root, scenario.precision, scenario.matmul_tf32, scenario.conv_tf32);
  check_batch(root, scenario);
  check_optimizer(root.list("strategies"), scenario.strategies, scenario.optimizer);
  refuse_endless_work(root, scenario);
}

std::vector<Field<Scenario>> rows_of_job() {
  return {required("name", &Scenario::name, name_type(), "of the question"),
          required("model", &Scenario::model, text_type(), "a shipped model's name, or the path of a model's file"),
          optional("batch_per_gpu", &Scenario::batch_per_gpu, positive_type(),
                   "samples of one GPU in an iteration; this, \"global_batch\" or \"global_batch_tokens\" is needed"),
          optional("global_batch", &Scenario::global_batch, positive_type(),
                   "samples of all GPUs together in an iteration, in place of \"batch_per_gpu\""),
          optional("global_batch_tokens", &Scenario::global_batch_tokens, count_type(),
                   "tokens of all GPUs together in an iteration, in place of \"batch_per_gpu\": \"4M\""),
          optional("micro_batch", &Scenario::micro_batch, positive_type(),
                   "samples that a replica computes at the same time; the number of micro-batches follows at each "
                   "scale, and strategies state none"),
          optional("sequence", &Scenario::sequence, whole_type(1, most_tokens),
                   "tokens of a sample; needed for a model that is a config.json whose length is not to be used whole"),
          optional("document_tokens", &Scenario::document_tokens, document_tokens_type(),
                   "mean length of documents that are packed in a sequence, where attention stays inside each; a "
                   "sequence is one document if not given"),
          optional("train", &Scenario::train, trained_part_type(), "what of the model is trained; all if not given"),
          optional("optimizer", &Scenario::optimizer, optional_name_type<Optimizer>(),
                   "what updates the parameters; AdamW for models with attention, SGD with momentum for others, if not "
                   "given"),
          required("precision", &Scenario::precision, name_of_type<Precision>(), "of arithmetic"),
          optional("matmul_tf32", &Scenario::matmul_tf32, optional_boolean_type(),
                   "whether matrix products in fp32 use TF32; what the software does by itself if not given"),
          optional("conv_tf32", &Scenario::conv_tf32, optional_boolean_type(),
                   "whether convolutions in fp32 use TF32; what the software does by itself if not given"),
          optional("wire_precision", &Scenario::wire_precision,
                   name_of_type<WirePrecision>(known_names_of<WirePrecision>()),
                   "of gradients on their way; fp32 if not given"),
          optional("cross_entropy", &Scenario::cross_entropy, optional_name_type<CrossEntropy>(),
                   "how the loss of logits is computed, which decides what of them is in memory; the preset's if not "
                   "given"),
          required("cluster", &Scenario::cluster, text_type(),
                   "a shipped cluster's name, or the path of a cluster's folder"),
          optional("gpu", &Scenario::gpu, text_type(),
                   "name in gpus.json, or the path of a GPU's own file; the cluster's if not given"),
          required("gpus", &Scenario::gpus, gpu_counts_type(), "how many GPUs, ascending"),
          required("strategies", &Scenario::strategies, strategies_type(MicroBatches::may_follow),
                   "how gradients are combined"),
          required("preset", &Scenario::preset, text_type(), "what the framework does with gradients"),
          optional("transport", &Scenario::transport, word_type(transport_names()),
                   "shm on a single machine, else the preset's first that the cluster has, if not given"),
          optional("rank_mapping", &Scenario::rank_mapping, word_type({"fill-nodes"}),
                   "how ranks are dealt out over nodes"),
          optional("gpus_per_node", &Scenario::gpus_per_node, whole_type(1, most_ranks),
                   "that ranks take of every node; all if not given")};
}

std::vector<Field<Scenario>> rows_of_knowledge() {
  return {
      optional(
          "one_gpu_samples_per_s", &Scenario::one_gpu, stated_rate_type(),
          "your own rate of one GPU without synchronisation, or that with its 90 % interval; it beats every record. "
          "Records decide if not given"),
      optional(
          "series", &Scenario::series, any_text_type(),
          "of the cluster's records, where they disagree: whose one-GPU time and residuals are meant; the middle one, "
          "with their spread in the interval, if not given"),
      optional("software", &Scenario::software, any_text_type(),
               "part of the records' software, where several stacks disagree"),
      optional("efficiency_bound", &Scenario::efficiency_bound, share_type(),
               "least efficiency at which adding GPUs still pays; 0.8 if not given"),
      optional("seed", &Scenario::seed, seed_type(), "of the draws; 1 if not given"),
      optional("samples", &Scenario::samples, whole_type(1, most_samples_of_scenario),
               "draws of the parameters behind an interval; 800 if not given")};
}

const FieldTable<Scenario>& scenario_fields() {
  static const auto table = [] {
    auto rows = rows_of_job();
    const auto add = [&](const std::vector<Field<Scenario>>& more) {
      rows.insert(rows.end(), more.begin(), more.end());
    };
    add(rows_of_co_location());
    add({optional("slow_node", &Scenario::slow_node, slow_node_type(),
                  "one node of a job on two nodes or more; none is slow if not given"),
         optional_group("input", input_fields_of<Scenario>(&Scenario::input, &Scenario::input_names),
                        "where samples come from; synthetic data if not given")});
    add(rows_of_knowledge());
    return document<Scenario>("ddlsim-scenario", 1, rows, check_scenario);
  }();
  return table;
}

} // namespace

Scenario scenario_from(const JsonNode& root) {
  if (root.value().is_object() && !root.has("batch_per_gpu") && !root.has("global_batch") &&
      !root.has("global_batch_tokens"))
    root.mistake_at("batch_per_gpu", "missing; give a number above 0, or \"global_batch\" of all GPUs together");
  return read_object(root, scenario_fields());
}

bool batch_follows_scale(const Scenario& scenario) {
  return scenario.global_batch > 0 || scenario.global_batch_tokens > 0 || scenario.micro_batch > 0;
}

std::string batch_text(const Scenario& scenario) {
  auto text = scenario.global_batch > 0 ? fmt::format("a global batch of {:g} samples", scenario.global_batch)
              : scenario.global_batch_tokens > 0
                  ? fmt::format("a global batch of {:g} tokens", scenario.global_batch_tokens)
                  : fmt::format("{:g} samples a GPU", scenario.batch_per_gpu);
  if (scenario.micro_batch > 0) text += fmt::format(" in micro-batches of {:g}", scenario.micro_batch);
  return text;
}

FileFormat scenario_format() {
  return {"scenario", "One question", "scenarios/NAME.json", scenario_fields().shape()};
}

Scenario scenario_with_preset_of(Scenario scenario, const Strategy& strategy) {
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

std::string scenario_json(const Scenario& scenario) {
  auto written = scenario;
  if (!scenario.model_file.empty()) written.model = scenario.model_file.string();
  if (!scenario.cluster_folder.empty()) written.cluster = scenario.cluster_folder.string();
  if (!scenario.gpu_file.empty()) written.gpu = scenario.gpu_file.string();
  auto json = write_fields(scenario_fields(), written);
  if (scenario.micro_batch > 0)
    for (auto& strategy : json["strategies"]) strategy.erase("micro_batches"); // a pipeline writes its default, too
  return json_text(json);
}

} // namespace ddlsim
