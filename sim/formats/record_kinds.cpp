#include "sim/base/error.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/record_reader.hpp"
#include "sim/formats/stand_in_preset.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace ddlsim {
namespace {

const std::vector<std::string>& rate_units() {
  static const std::vector<std::string> units{"GB/s", "MB/s", "B/s", "Gbps", "Mbps"};
  return units;
}

CollectiveRecord collective_from(const JsonNode& line, const LineOrigin& origin) {
  static const std::vector<std::string> keys{"operation",       "algorithm",  "ranks", "nodes",
                                             "concurrent_jobs", "size_bytes", "value", "unit"};
  static const std::vector<std::string> operations{"all_reduce", "reduce_scatter", "all_gather",
                                                   "broadcast",  "reduce",         "all_to_all"};
  CollectiveRecord record;
  const auto before = line.mistakes_so_far();
  allow_only_with_head(line, keys);
  record.head = head_from(line, origin);
  record.operation = line.one_of("operation", operations);
  record.algorithm = text_or_unknown(line, "algorithm");
  record.ranks = static_cast<int>(line.integer("ranks", 1, most_ranks));
  record.nodes = static_cast<int>(line.integer("nodes", 1, most_ranks));
  record.concurrent_jobs = static_cast<int>(line.integer_or("concurrent_jobs", 1, 1, most_ranks));
  record.size_bytes = line.number("size_bytes", 0, unbounded);
  record.time_s = value_in(line, time_units(), Dimension::time);
  if (line.mistakes_so_far() == before && record.nodes > record.ranks)
    line.mistake_at("nodes", fmt::format("{} found, more than the {} ranks; correct one", record.nodes, record.ranks));
  return record;
}

PointToPointRecord point_to_point_from(const JsonNode& line, const LineOrigin& origin) {
  static const std::vector<std::string> keys{"size_bytes", "nodes", "pairs", "both_ways", "value", "unit"};
  static const std::vector<std::string> units{"s", "ms", "us", "GB/s", "MB/s"};
  PointToPointRecord record;
  const auto before = line.mistakes_so_far();
  allow_only_with_head(line, keys);
  record.head = head_from(line, origin);
  record.size_bytes = line.number("size_bytes", 0, unbounded);
  record.nodes = static_cast<int>(line.integer_or("nodes", 0, 1, 2));
  record.pairs = static_cast<int>(line.integer_or("pairs", 1, 1, most_ranks));
  record.both_ways = line.boolean_or("both_ways", false);
  const double value = line.positive("value");
  const std::string unit = line.one_of("unit", units);
  const double rate = unit_in_si(unit, Dimension::bandwidth);
  if (line.mistakes_so_far() == before && rate > 0 && record.size_bytes == 0)
    line.mistake_at("unit", "a rate of 0 bytes is no time; give the time of the empty message");
  record.time_s = rate > 0 ? record.size_bytes / (value * rate) : value * unit_in_si(unit, Dimension::time);
  return record;
}

/// What a server took of the processors while workers trained.
void read_training_server(const JsonNode& line, ServerRecord& record) {
  if (record.what != kServerInTraining) {
    for (const char* key : {"preset", "bytes", "messages", "processor_s"})
      if (line.has(key)) line.mistake_at(key, "has no meaning without \"what\": \"training\"; leave it out");
    return;
  }
  record.preset = line.text("preset");
  record.bytes = line.positive("bytes");
  record.messages = line.integer("messages", 1, std::numeric_limits<long>::max());
  record.processor_s = line.positive("processor_s");
}

ServerRecord server_from(const JsonNode& line, const LineOrigin& origin) {
  static const std::vector<std::string> keys{"what",  "workers",  "nodes",       "size_bytes", "preset",
                                             "bytes", "messages", "processor_s", "value",      "unit"};
  static const std::vector<std::string> whats{"push", "pull", "push-pull", "channel", kServerInTraining};
  ServerRecord record;
  allow_only_with_head(line, keys);
  record.head = head_from(line, origin);
  record.what = line.one_of("what", whats);
  record.workers = static_cast<int>(line.integer_or("workers", 0, 1, most_ranks));
  record.nodes = static_cast<int>(line.integer_or("nodes", 0, 1, most_ranks));
  if (line.has("size_bytes")) record.size_bytes = line.positive("size_bytes");
  read_training_server(line, record);
  record.rate_Bps = value_in(line, rate_units(), Dimension::bandwidth);
  return record;
}

InputRecord input_from(const JsonNode& line, const LineOrigin& origin) {
  static const std::vector<std::string> keys{"what", "value", "unit"};
  static const std::vector<std::string> whats{"loader", "storage"};
  static const std::vector<std::string> units{"samples/s", "MB/s", "GB/s", "B/s"};
  InputRecord record;
  allow_only_with_head(line, keys);
  record.head = head_from(line, origin);
  record.what = line.one_of("what", whats);
  const double value = line.positive("value");
  const std::string unit = line.one_of("unit", units);
  if (unit == "samples/s") {
    record.samples_per_s = value;
  } else {
    record.rate_Bps = value * unit_in_si(unit, Dimension::bandwidth);
  }
  return record;
}

LossRecord loss_from(const JsonNode& line, const LineOrigin& origin) {
  static const std::vector<std::string> keys{"model", "epoch", "step", "value", "accuracy"};
  constexpr long most_epochs = 1'000'000;
  LossRecord record;
  allow_only_with_head(line, keys);
  record.head = head_from(line, origin);
  record.model = line.text("model");
  refuse_bare_model_name(line, "model", record.model);
  record.epoch = static_cast<int>(line.integer("epoch", 0, most_epochs));
  record.step = line.integer("step", 0, std::numeric_limits<long>::max());
  record.loss = line.number("value", -unbounded, unbounded);
  if (line.has("accuracy")) record.accuracy = line.number("accuracy", 0, 1);
  return record;
}

} // namespace

std::optional<Record> record_from(const JsonNode& line, const LineOrigin& origin) {
  if (is_layer_row(line)) return layer_row_from(line, origin);
  const auto kind = value_named<RecordKind>(line.one_of("record", names_of<RecordKind>()));
  if (!kind) return std::nullopt;
  switch (*kind) {
  case RecordKind::step:
    return step_from(line, origin);
  case RecordKind::collective:
    return collective_from(line, origin);
  case RecordKind::point_to_point:
    return point_to_point_from(line, origin);
  case RecordKind::layers:
    return layers_from(line, origin);
  case RecordKind::server:
    return server_from(line, origin);
  case RecordKind::input:
    return input_from(line, origin);
  case RecordKind::loss:
    return loss_from(line, origin);
  case RecordKind::speed_up:
    return speed_up_from(line, origin);
  }
  return std::nullopt;
}

namespace {

/// Nodes are full, but for the last.
void check_node_counts(const JsonNode& line, const StepRecord& step) {
  const long full = static_cast<long>(step.nodes) * step.gpus_per_node;
  if (step.gpus <= full && step.gpus > full - step.gpus_per_node) return;
  line.mistake_at("gpus", fmt::format("{} found, {} nodes of {} GPUs expected ({}, the last node may be partly used); "
                                      "correct one of the three",
                                      step.gpus, step.nodes, step.gpus_per_node, full));
}

void check_strategy(const JsonNode& line, const StepRecord& step) {
  if (step.strategy.name == StrategyName::none && step.synchronised)
    line.mistake_at("synchronised", "true found beside strategy none; give false, or the strategy that ran");
}

void read_overlap(const JsonNode& line, StepRecord& step) {
  constexpr double most_slowdown = 1000; // a slip of the keyboard
  if (line.has("overlap_slowdown")) step.overlap_slowdown = line.number("overlap_slowdown", 0.001, most_slowdown);
  step.overlap_kernels = static_cast<int>(line.integer_or("overlap_kernels", 0, 1, 1'000'000'000));
  if (line.has("overlap_kernels") && !line.has("overlap_slowdown"))
    line.mistake_at("overlap_kernels", "has no meaning without overlap_slowdown; leave it out");
}

/// What rates count of each sample, in units that a field beside them states.
struct CountedUnit {
  std::vector<std::string> names;
  const char* key;
  double scale; ///< of the unit
};

/// Of a sample; 1 where the unit is another one, beside which the field has no meaning.
double counted_per_sample(const JsonNode& line, const std::string& unit, const CountedUnit& counted) {
  if (std::find(counted.names.begin(), counted.names.end(), unit) != counted.names.end())
    return line.positive(counted.key) / counted.scale;
  if (line.has(counted.key))
    line.mistake_at(counted.key,
                    fmt::format("has no meaning without \"unit\": \"{}\"; leave it out", counted.names.front()));
  return 1;
}

double iteration_s_of(const JsonNode& line, const StepRecord& step) {
  static const std::vector<std::string> units{"samples/s", "tokens/s", "tokens/s/GPU", "TFLOP/s", "s", "ms"};
  static const CountedUnit tokens_a_second{{"tokens/s", "tokens/s/GPU"}, "tokens_per_sample", 1};
  static const CountedUnit flop_a_second{{"TFLOP/s"}, "flop_per_sample", 1e12};
  const double value = line.positive("value");
  const std::string unit = line.one_of("unit", units);
  const double tokens = counted_per_sample(line, unit, tokens_a_second);
  const double flop = counted_per_sample(line, unit, flop_a_second);
  if (unit == "TFLOP/s") return step.batch_per_gpu * flop / value; // of one GPU, as Megatron-LM prints it
  if (unit == "tokens/s/GPU") return step.batch_per_gpu * tokens / value;
  if (unit == "tokens/s" || unit == "samples/s") return step.batch_per_gpu * step.gpus * tokens / value;
  return unit.empty() ? value : value * unit_in_si(unit, Dimension::time);
}

} // namespace

StepRecord step_from(const JsonNode& line, const LineOrigin& origin) {
  static const std::vector<std::string> keys{"model",
                                             "precision",
                                             "wire_precision",
                                             "batch_per_gpu",
                                             "preset",
                                             "strategy",
                                             "algorithm",
                                             "gpus",
                                             "nodes",
                                             "gpus_per_node",
                                             "synchronised",
                                             "data",
                                             "mode",
                                             "value",
                                             "unit",
                                             "tokens_per_sample",
                                             "flop_per_sample",
                                             "overlap_slowdown",
                                             "overlap_kernels",
                                             "host_paced",
                                             "quoted",
                                             "optimizer"};
  static const std::vector<std::string> data{"synthetic", "real", "unknown"};
  StepRecord step;
  const auto before = line.mistakes_so_far();
  allow_only_with_head(line, keys);
  step.head = head_from(line, origin);
  step.model = line.text("model");
  refuse_bare_model_name(line, "model", step.model);
  step.precision = one_of<Precision>(line, "precision");
  const bool single = step.precision == Precision::fp32;
  step.wire_precision = one_of_or(line, "wire_precision", single ? WirePrecision::fp32 : WirePrecision::unknown);
  step.batch_per_gpu = line.positive("batch_per_gpu");
  step.preset = line.has("preset") ? line.text("preset") : unnamed_framework;
  if (step.preset == "unknown") step.preset = unnamed_framework;
  step.strategy = strategy_from(line.at("strategy"), StrategyUse::record);
  step.algorithm = text_or_unknown(line, "algorithm");
  step.gpus = static_cast<int>(line.integer("gpus", 1, most_ranks));
  step.nodes = static_cast<int>(line.integer("nodes", 1, most_ranks));
  const int spread_evenly = step.nodes > 0 ? (step.gpus + step.nodes - 1) / step.nodes : 1;
  step.gpus_per_node = static_cast<int>(line.integer_or("gpus_per_node", spread_evenly, 1, most_ranks));
  step.synchronised = line.boolean("synchronised");
  step.host_paced = line.boolean_or("host_paced", false);
  line.boolean_or("quoted", false); // of earlier versions
  step.optimizer = line.boolean_or("optimizer", true);
  step.data = line.one_of("data", data);
  step.mode = one_of_or(line, "mode", RunMode::train);
  step.iteration_s = iteration_s_of(line, step);
  read_overlap(line, step);
  if (line.mistakes_so_far() > before) return step;
  check_node_counts(line, step);
  check_strategy(line, step);
  return step;
}

bool is_of_processor_beside(const RecordHead& head, const std::string& gpu_of_cluster) {
  return head.device == "cpu" && !gpu_of_cluster.empty() && gpu_of_cluster != unnamed_device().name;
}

} // namespace ddlsim
