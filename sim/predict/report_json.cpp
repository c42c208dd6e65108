#include "sim/base/json.hpp"
#include "sim/iteration/host_offload.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/report.hpp"

#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

/// Version of the format. 2: largest_efficient_*, bottleneck_there; fidelities "reduced" and "screening". 3: fidelities
/// "classes", "full" and "formula".
constexpr int prediction_version = 3;

/// Adds all options of sharding, including those with default values.
void add_sharded(Json& json, const Strategy& strategy) {
  const auto& sharded = strategy.sharded;
  if (strategy.name == StrategyName::fsdp) {
    json["reshard_after_forward"] = sharded.reshard_after_forward;
    json["backward_prefetch"] = sharded.backward_prefetch;
    json["gathers_in_flight"] = sharded.gathers_in_flight;
    if (sharded.shard_group == ShardedOptions::a_node) json["shard_group"] = "node";
    if (sharded.shard_group > 0) json["shard_group"] = sharded.shard_group;
  }
  json["micro_batches"] = sharded.micro_batches;
  json["recompute"] = to_text(sharded.recompute);
  if (sharded.offload != Offload::none) json["offload"] = to_text(sharded.offload);
}

/// Adds all options of model parallelism, including those with default values.
void add_model_parallel(Json& json, const Strategy& strategy) {
  const auto& parallel = strategy.parallel;
  const auto degree = [](int value) { return value == ModelParallelOptions::best ? Json("best") : Json(value); };
  json["tensor"] = degree(parallel.tensor);
  if (parallel.context != 1) json["context"] = degree(parallel.context);
  json["pipeline"] = degree(parallel.pipeline);
  json["micro_batches"] = degree(parallel.micro_batches);
  json["schedule"] = to_text(parallel.schedule);
  json["virtual_stages"] = parallel.virtual_stages;
  json["data_parallel"] = to_text(parallel.data_parallel);
  if (parallel.recompute != Recompute::none) json["recompute"] = to_text(parallel.recompute);
  if (parallel.rank_order != RankOrder::stages_last) json["rank_order"] = to_text(parallel.rank_order);
}

Json to_json(const Strategy& strategy) {
  Json json{{"name", to_text(strategy.name)}};
  if (!strategy.preset.empty()) json["preset"] = strategy.preset;
  if (!strategy.transport.empty()) json["transport"] = strategy.transport;
  if (is_sharded(strategy.name)) add_sharded(json, strategy);
  if (is_model_parallel(strategy.name)) add_model_parallel(json, strategy);
  if (!is_parameter_server(strategy.name)) return json;
  const auto& servers = strategy.servers;
  switch (servers.rule) {
  case ServerCount::Rule::count:
    json["servers"] = {{"count", servers.value}};
    break;
  case ServerCount::Rule::per_node:
    json["servers"] = {{"per_node", servers.value}};
    break;
  case ServerCount::Rule::equal_workers:
    json["servers"] = {{"equal_workers", true}};
    break;
  case ServerCount::Rule::unknown:
    json["servers"] = {{"unknown", true}};
    break;
  case ServerCount::Rule::best:
    json["servers"] = "best";
    break;
  }
  json["placement"] = to_text(strategy.placement);
  json["sharding"] = to_text(strategy.sharding);
  json["on_node_reduce"] = strategy.on_node_reduce;
  json["device"] = to_text(strategy.device);
  return json;
}

Json to_json(const UnsplitTensor& tensor) {
  return {{"name", tensor.name},
          {"size_bytes", nine_digits(tensor.size_bytes)},
          {"share_of_busiest_server", nine_digits(tensor.share_of_busiest_server)}};
}

Json to_json(const MeasuredHere& measured, const PredictedPoint& point) {
  Json json{{"iteration_s", nine_digits(measured.iteration_s)},
            {"records", measured.records},
            {"series", measured.series},
            {"inside", position_in(point, measured) == PositionInInterval::inside}};
  if (measured.suspect) json["suspect"] = true;
  return json;
}

/// The need of the input. The rates of one node are those of all divided by the nodes, because all take the same.
Json to_json(const InputNeed& need, int nodes) {
  Json json{{"samples_per_s", nine_digits(need.samples_per_s)}};
  if (need.storage_Bps > 0)
    for (const auto& [key, value] :
         {std::pair{"storage_Bps", need.storage_Bps}, std::pair{"storage_Bps_low", need.storage_Bps_low},
          std::pair{"storage_Bps_high", need.storage_Bps_high},
          std::pair{"node_storage_Bps", need.storage_Bps / nodes}})
      json[key] = nine_digits(value);
  if (need.node_cores > 0)
    for (const auto& [key, value] :
         {std::pair{"node_cores", need.node_cores}, std::pair{"node_cores_low", need.node_cores_low},
          std::pair{"node_cores_high", need.node_cores_high}})
      json[key] = nine_digits(value);
  if (need.cores_per_node > 0) json["cores_per_node"] = need.cores_per_node;
  json["limit"] = to_text(need.limit);
  json["wait_chance"] = nine_digits(need.wait_chance);
  return json;
}

/// Adds the parts of exposed_communication_s of a pipeline, by the kind of communication.
void add_exposed(Json& json, const ExposedParts& exposed, const Strategy& of) {
  for (const auto& [key, value] :
       {std::pair{"exposed_tensor_s", exposed.tensor_s}, std::pair{"exposed_pipeline_s", exposed.pipeline_s},
        std::pair{"exposed_data_parallel_s", exposed.data_parallel_s}})
    json[key] = nine_digits(value);
  if (of.parallel.context != 1) json["exposed_context_s"] = nine_digits(exposed.context_s);
}

/// Adds the parts of an iteration; only a pipeline has a bubble.
void add_parts(Json& json, const IterationParts& parts, const Strategy& of) {
  const bool in_stages = is_model_parallel(of.name);
  for (const auto& part : named_parts)
    if (in_stages || part.seconds != &IterationParts::bubble_s) json[part.key] = nine_digits(parts.*part.seconds);
  if (in_stages) add_exposed(json, parts.exposed, of);
}

Json to_json(const TimedLayout& layout) {
  const auto& parallel = layout.strategy.parallel;
  const auto& time = layout.time;
  Json json{{"tensor", parallel.tensor}, {"pipeline", parallel.pipeline}, {"micro_batches", parallel.micro_batches}};
  if (parallel.context != 1) json["context"] = parallel.context;
  json["formula_iteration_s"] = nine_digits(time.iteration_s);
  json["bubble_s"] = nine_digits(time.parts.bubble_s);
  add_exposed(json, time.parts.exposed, layout.strategy);
  return json;
}

/// The result of a search of layouts.
Json layout_found(const FoundLayout& found) {
  Json json{{"tried", found.tried}, {"refused_by_memory", found.refused_by_memory}};
  if (found.best) json["best"] = to_json(*found.best);
  if (found.runner_up) json["runner_up"] = to_json(*found.runner_up);
  if (found.too_large) json["too_large"] = to_json(*found.too_large);
  return json;
}

/// The settings that a search of servers chose.
Json servers_found(const Strategy& strategy) {
  return {{"servers", {{"count", strategy.servers.value}}},
          {"placement", to_text(strategy.placement)},
          {"sharding", to_text(strategy.sharding)}};
}

Json to_json(const PredictedPoint& point, const Strategy& of, const Json& strategy) {
  Json json{{"strategy", strategy}, {"gpus", point.gpus}, {"nodes", point.nodes}, {"server_nodes", point.server_nodes}};
  if (!point.error.empty()) {
    json["error"] = point.error;
    return json;
  }
  const std::pair<const char*, double> numbers[] = {
      {"iteration_s", point.iteration_s},
      {"iteration_s_low", point.iteration_s_low},
      {"iteration_s_high", point.iteration_s_high},
      {"samples_per_s", point.samples_per_s},
      {"samples_per_s_low", point.samples_per_s_low},
      {"samples_per_s_high", point.samples_per_s_high},
      {"efficiency", point.efficiency},
      {"efficiency_low", point.efficiency_low},
      {"efficiency_high", point.efficiency_high},
      {"efficiency_per_gpu_bought", point.efficiency_per_gpu_bought},
      {"efficiency_per_gpu_bought_low", point.efficiency_per_gpu_bought_low},
      {"efficiency_per_gpu_bought_high", point.efficiency_per_gpu_bought_high},
      {"samples_per_s_per_node_bought", point.samples_per_s_per_node_bought},
      {"samples_per_s_per_node_bought_low", point.samples_per_s_per_node_bought_low},
      {"samples_per_s_per_node_bought_high", point.samples_per_s_per_node_bought_high}};
  for (const auto& [name, value] : numbers) json[name] = nine_digits(value);
  add_parts(json, point.parts, of);
  if (point.tokens_per_s > 0) json["tokens_per_s"] = nine_digits(point.tokens_per_s);
  if (point.flop_utilisation > 0) json["flop_utilisation"] = nine_digits(point.flop_utilisation);
  json["least_memory_bytes"] = nine_digits(point.least_memory_bytes);
  if (is_offloaded(of)) {
    json["least_host_memory_bytes"] = nine_digits(point.least_host_memory_bytes);
    json["exposed_offload_s"] = nine_digits(point.parts.exposed.offload_s);
  }
  if (point.alone)
    json["without_neighbours"] = {{"iteration_s", nine_digits(point.alone->s)},
                                  {"iteration_s_low", nine_digits(point.alone->s_low)},
                                  {"iteration_s_high", nine_digits(point.alone->s_high)}};
  if (point.measured) json["measured"] = to_json(*point.measured, point);
  if (of.name == StrategyName::ps_async) json["mean_staleness"] = nine_digits(point.mean_staleness);
  if (point.input) json["input"] = to_json(*point.input, point.nodes);
  json["bottleneck"] = point.bottleneck;
  if (point.unsplit_tensor) json["unsplit_tensor"] = to_json(*point.unsplit_tensor);
  if (point.best_layout) json["best_layout"] = layout_found(*point.best_layout);
  if (point.best_servers) json["best_servers"] = servers_found(*point.best_servers);
  json["evidence"] = to_text(point.evidence);
  json["extrapolated"] = point.extrapolated;
  json["fidelity"] = point.fidelity;
  json["simgrid_messages"] = point.simgrid_messages;
  if (!point.algorithm.empty()) {
    json["largest_sum"] = {{"algorithm", point.algorithm}, {"size_bytes", nine_digits(point.largest_collective_bytes)}};
    if (!point.protocol.empty()) json["largest_sum"]["protocol"] = point.protocol;
  }
  if (!point.fidelity_note.empty()) json["fidelity_note"] = point.fidelity_note;
  return json;
}

Json to_json(const OneGpuRate& rate) {
  return {
      {"samples_per_s", nine_digits(rate.samples_per_s)}, {"evidence", to_text(rate.evidence)}, {"text", rate.text}};
}

Json to_json(const StrategyAnswer& answer, const Json& strategy) {
  const auto& largest_scale = answer.largest_scale;
  const auto& next = answer.measure_next;
  Json json{{"strategy", strategy},
            {"preset", answer.preset},
            {"transport", answer.transport},
            {"one_gpu", to_json(answer.one_gpu)},
            {"largest_efficient_gpus", largest_scale.gpus},
            {"largest_efficient_gpus_low", largest_scale.gpus_low},
            {"largest_efficient_gpus_high", largest_scale.gpus_high},
            {"largest_efficient_beyond_growth", largest_scale.beyond_growth},
            {"bottleneck_there", largest_scale.bottleneck},
            {"measure_next",
             {{"parameter", next.parameter},
              {"what", next.what},
              {"at_gpus", next.at_gpus},
              {"half_width_now", nine_digits(next.interval_now)},
              {"half_width_then", nine_digits(next.interval_then)}}}};
  if (!next.protocol.empty())
    json["measure_next"]["run_as"] = {
        {"algorithm", next.algorithm}, {"protocol", next.protocol}, {"size_bytes", nine_digits(next.all_reduce_bytes)}};
  if (!answer.library.empty()) {
    json["library"] = answer.library;
    json["library_stated"] = answer.library_stated;
  }
  if (!answer.strategy.note.empty()) json["note"] = answer.strategy.note;
  if (!answer.why.empty()) json["why"] = answer.why;
  if (answer.left_open.empty()) return json;
  json["left_open"] = answer.left_open;
  json["taken"] = to_json(answer.taken);
  return json;
}

Json provenance(const Prediction& prediction) {
  Json files = Json::array();
  for (const auto& file : prediction.files) files.push_back({{"file", file.name}, {"fnv1a", file.fnv1a}});
  return {{"ddlsim", version()},
          {"simgrid", simgrid_version()},
          {"seed", prediction.scenario.seed},
          {"samples", prediction.scenario.samples},
          {"files", files}};
}

} // namespace

std::string to_json_text(const Prediction& prediction) {
  const auto& scenario = prediction.scenario;
  Json points = Json::array();
  Json strategies = Json::array();
  for (const auto& answer : prediction.strategies) {
    const auto strategy = to_json(answer.strategy);
    for (const auto& point : answer.points) points.push_back(to_json(point, answer.strategy, strategy));
    strategies.push_back(to_json(answer, strategy));
  }
  Json json{{"format", "ddlsim-prediction"},
            {"version", prediction_version},
            {"scenario", scenario.name},
            {"model", scenario.model},
            {"cluster", scenario.cluster},
            {"gpu", prediction.gpu},
            {"preset", scenario.preset},
            {"precision", to_text(scenario.precision)},
            {"batch_per_gpu", scenario.batch_per_gpu},
            {"efficiency_bound", scenario.efficiency_bound},
            {"one_gpu", to_json(prediction.one_gpu)},
            {"points", points},
            {"strategies", strategies},
            {"produced_by", provenance(prediction)}};
  if (!prediction.warnings.empty()) json["warnings"] = prediction.warnings;
  return json_text(json, 1) + "\n";
}

} // namespace ddlsim
