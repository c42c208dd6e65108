#include "sim/formats/record_fields.hpp"
#include "sim/formats/stand_in_preset.hpp"
#include "sim/formats/strategy_fields.hpp"
#include "sim/formats/tf32.hpp"
#include "sim/formats/trained_part_fields.hpp"

#include <fmt/format.h>

#include <limits>

namespace ddlsim {
namespace {

const ValueType<int>& count_of_ranks() {
  static const auto type = whole_type(1, most_ranks);
  return type;
}

double time_of(double value, const std::string& unit) {
  return value * unit_in_si(unit, Dimension::time);
}

/// A whole number up to the largest that a file can hold.
ValueType<long> long_type(long least) {
  constexpr long most = std::numeric_limits<long>::max();
  return {whole_type(least, most).shape, [=](const JsonNode& place) { return place.as_integer(least, most); },
          [](const long& value) { return nlohmann::ordered_json(value); }};
}

// Records of steps.

/// Tokens and FLOP of each sample, which a line states beside rates of tokens or of FLOP.
struct StepLineUnits {
  double tokens_per_sample = 0;
  double flop_per_sample = 0;
};

/// Checks that all nodes are full, except the last.
void check_node_counts(const JsonNode& line, const StepRecord& step) {
  const long full = static_cast<long>(step.nodes) * step.gpus_per_node;
  if (step.gpus <= full && step.gpus > full - step.gpus_per_node) return;
  line.mistake_at("gpus", fmt::format("{} found, {} nodes of {} GPUs expected ({}, the last node may be partly used); "
                                      "correct one of the three",
                                      step.gpus, step.nodes, step.gpus_per_node, full));
}

double iteration_s_of(const RecordLine<StepRecord>& line, const StepLineUnits& counted) {
  constexpr double tera = 1e12;
  const auto& step = line.record;
  if (line.unit == "TFLOP/s") // the rate of one GPU, as Megatron-LM prints it
    return step.batch_per_gpu * counted.flop_per_sample / (tera * line.value);
  if (line.unit == "tokens/s/GPU") return step.batch_per_gpu * counted.tokens_per_sample / line.value;
  if (line.unit == "tokens/s") return step.batch_per_gpu * step.gpus * counted.tokens_per_sample / line.value;
  if (line.unit == "samples/s") return step.batch_per_gpu * step.gpus / line.value;
  return time_of(line.value, line.unit);
}

void derive_step(const JsonNode& node, RecordLine<StepRecord>& line) {
  auto& step = line.record;
  refuse_bare_model_name(node, "model", step.model);
  const bool is_single = step.precision == Precision::fp32;
  if (!node.has("wire_precision")) step.wire_precision = is_single ? WirePrecision::fp32 : WirePrecision::unknown;
  if (!node.has("preset") || step.preset == kUnknown) step.preset = unnamed_framework;
  if (!node.has("gpus_per_node")) step.gpus_per_node = (step.gpus + step.nodes - 1) / step.nodes;
  if (node.has("overlap_kernels") && !node.has("overlap_slowdown"))
    node.mistake_at("overlap_kernels", "has no meaning without overlap_slowdown; leave it out");
  const StepLineUnits counted{node.has("tokens_per_sample") ? node.positive("tokens_per_sample") : 0,
                              node.has("flop_per_sample") ? node.positive("flop_per_sample") : 0};
  step.iteration_s = iteration_s_of(line, counted);
  check_node_counts(node, step);
  check_tf32_keys(node, step.precision, step.matmul_tf32, step.conv_tf32);
  if (step.strategy.name == StrategyName::none && step.synchronised)
    node.mistake_at("synchronised", "true found beside strategy none; give false, or the strategy that ran");
}

/// A row whose key is only checked here; derive_step() reads its value.
template <class Line, class Value>
Field<Line> checked_only(std::string name, ValueType<Value> type, std::string meaning) {
  return {{std::move(name), Presence::required, type.shape, std::move(meaning)},
          [read = type.read](const JsonNode& place, Line&) { read(place); },
          [](const Line&, nlohmann::ordered_json&) {}};
}

std::vector<Field<RecordLine<StepRecord>>> rows_of_run() {
  using K = StepRecord;
  return {required_of<K>("model", &K::model, text_type(), "a variant, of scenarios/models/"),
          optional_of<K>("train", &K::train, trained_part_type(), "what of the model was trained; all if not given"),
          optional_of<K>("document_tokens", &K::document_tokens, document_tokens_type(),
                         "mean length of documents packed in a sequence; a sequence is one if not given"),
          required_of<K>("precision", &K::precision, name_of_type<Precision>(), "of arithmetic"),
          written_of<K>("wire_precision", &K::wire_precision, name_of_type<WirePrecision>(),
                        "of gradients on their way; fp32 beside fp32, else unknown, if not given"),
          required_of<K>("batch_per_gpu", &K::batch_per_gpu, positive_type(), "samples of one GPU in an iteration"),
          written_of<K>("preset", &K::preset, text_type(), "the stack; unnamed if not given"),
          required_of<K>("strategy", &K::strategy, object_type(strategy_fields(StrategyUse::record)),
                         "how gradients were brought together"),
          optional_of<K>("algorithm", &K::algorithm, text_type(), "of the collective; unknown if not given"),
          required_of<K>("gpus", &K::gpus, count_of_ranks(), "that took part"),
          required_of<K>("nodes", &K::nodes, count_of_ranks(), "that took part"),
          written_of<K>("gpus_per_node", &K::gpus_per_node, count_of_ranks(), "evenly if not given")};
}

std::vector<Field<RecordLine<StepRecord>>> rows_of_step() {
  using K = StepRecord;
  using Line = RecordLine<StepRecord>;
  constexpr double most_slowdown = 1000; // a larger value is a typing error
  auto rows = rows_of_run();
  const std::vector<Field<Line>> more{
      required_of<K>("synchronised", &K::synchronised, boolean_type(),
                     "one GPU under the framework's synchronisation is not one GPU without"),
      optional_of<K>("host_paced", &K::host_paced, boolean_type(),
                     "the GPU waited for the host, which launches its kernels: a larger batch may take no longer"),
      optional_of<K>("optimizer", &K::optimizer, boolean_type(),
                     "false: the step ends with the gradients, before the optimizer's update"),
      optional_of<K>("matmul_tf32", &K::matmul_tf32, optional_boolean_type(),
                     "whether matrix products in fp32 used TF32; what the software does by itself if not given"),
      optional_of<K>("conv_tf32", &K::conv_tf32, optional_boolean_type(),
                     "whether convolutions in fp32 used TF32; what the software does by itself if not given"),
      required_of<K>("data", &K::data, word_type({"synthetic", "real", kUnknown}), "what was trained on"),
      optional_of<K>("mode", &K::mode, name_of_type<RunMode>(), "train if not given"),
      optional_of<K>("overlap_slowdown", &K::overlap_slowdown, number_type(1 / most_slowdown, most_slowdown),
                     "how many times as long kernels took beside communication as the same kernels alone"),
      optional_of<K>("overlap_kernels", &K::overlap_kernels, whole_type(1, 1'000'000'000),
                     "that ran both ways; with overlap_slowdown")};
  rows.insert(rows.end(), more.begin(), more.end());
  auto quoted = checked_only<Line>("quoted", boolean_type(), "read for one version, counts for nothing");
  quoted.shape.presence = Presence::optional;
  rows.push_back(quoted);
  rows.push_back(checked_only<Line>("tokens_per_sample", positive_type(), "with tokens/s and tokens/s/GPU")
                     .only_where("unit", {"tokens/s", "tokens/s/GPU"}));
  rows.push_back(
      checked_only<Line>("flop_per_sample", positive_type(),
                         "with TFLOP/s, which are of one GPU: FLOP that the source counts for a sample, both "
                         "passes")
          .only_where("unit", {"TFLOP/s"}));
  return rows;
}

// Records of collectives, messages, servers, input pipelines, and losses.

std::vector<Field<RecordLine<CollectiveRecord>>> rows_of_collective() {
  using K = CollectiveRecord;
  return {
      required_of<K>("operation", &K::operation,
                     word_type({"all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "all_to_all"}),
                     "what all ranks did together"),
      optional_of<K>("algorithm", &K::algorithm, text_type(), "unknown if not given"),
      required_of<K>("ranks", &K::ranks, count_of_ranks(), "that took part"),
      required_of<K>("nodes", &K::nodes, count_of_ranks(), "that took part"),
      optional_of<K>("concurrent_jobs", &K::concurrent_jobs, count_of_ranks(), "that shared the links; 1 if not given"),
      required_of<K>("size_bytes", &K::size_bytes, number_type(0, unbounded), "of one rank's vector")};
}

std::vector<Field<RecordLine<PointToPointRecord>>> rows_of_message() {
  using K = PointToPointRecord;
  return {
      required_of<K>("size_bytes", &K::size_bytes, number_type(0, unbounded), "of the message"),
      optional_of<K>("nodes", &K::nodes, whole_type(1, 2), "1: between processes of a node; 2: between nodes"),
      optional_of<K>("pairs", &K::pairs, count_of_ranks(), "that exchange messages at the same time; 1 if not given"),
      optional_of<K>("both_ways", &K::both_ways, boolean_type(), "messages cross each other; false if not given")};
}

void derive_message(const JsonNode& node, RecordLine<PointToPointRecord>& line) {
  auto& record = line.record;
  const double rate = unit_in_si(line.unit, Dimension::bandwidth);
  if (rate > 0 && record.size_bytes == 0)
    node.mistake_at("unit", "a rate of 0 bytes is no time; give the time of the empty message");
  record.time_s = rate > 0 ? record.size_bytes / (line.value * rate) : time_of(line.value, line.unit);
}

std::vector<Field<RecordLine<ServerRecord>>> rows_of_server() {
  using K = ServerRecord;
  const std::vector<std::string> in_training{kServerInTraining};
  return {required_of<K>("what", &K::what, word_type({"push", "pull", "push-pull", "channel", kServerInTraining}),
                         "what went through the server"),
          optional_of<K>("workers", &K::workers, count_of_ranks(), "that talk to the server at the same time"),
          optional_of<K>("nodes", &K::nodes, count_of_ranks(), "that server and workers are on"),
          optional_of<K>("size_bytes", &K::size_bytes, positive_type(), "of each worker's tensor"),
          required_of<K>("preset", &K::preset, text_type(), "whose server, while workers train")
              .only_where("what", in_training),
          required_of<K>("bytes", &K::bytes, positive_type(), "that came in and went out while it was measured")
              .only_where("what", in_training),
          required_of<K>("messages", &K::messages, long_type(1), "tensors that came in and went out meanwhile")
              .only_where("what", in_training),
          required_of<K>("processor_s", &K::processor_s, positive_type(), "processor seconds of the server's process")
              .only_where("what", in_training)};
}

void derive_input(const JsonNode& /*node*/, RecordLine<InputRecord>& line) {
  if (line.unit == "samples/s")
    line.record.samples_per_s = line.value;
  else
    line.record.rate_Bps = line.value * unit_in_si(line.unit, Dimension::bandwidth);
}

std::vector<Field<RecordLine<LossRecord>>> rows_of_loss() {
  using K = LossRecord;
  constexpr long most_epochs = 1'000'000;
  return {required_of<K>("model", &K::model, text_type(), "a variant, of scenarios/models/"),
          required_of<K>("epoch", &K::epoch, whole_type(0, most_epochs), "counted from 0"),
          required_of<K>("step", &K::step, long_type(0), "counted from 0"),
          required_of<K>("value", &K::loss, number_type(-unbounded, unbounded), "the loss"),
          optional_of<K>("accuracy", &K::accuracy, number_type(0, 1), "a share")};
}

} // namespace

const FieldTable<RecordLine<StepRecord>>& step_fields() {
  static const auto table = record_table<StepRecord>(
      "step", rows_of_step(), {"samples/s", "tokens/s", "tokens/s/GPU", "TFLOP/s", "s", "ms"}, derive_step);
  return table;
}

const FieldTable<RecordLine<CollectiveRecord>>& collective_fields() {
  static const auto table = record_table<CollectiveRecord>(
      "collective", rows_of_collective(), time_units(), [](const JsonNode& node, RecordLine<CollectiveRecord>& line) {
        auto& record = line.record;
        record.time_s = time_of(line.value, line.unit);
        if (record.nodes > record.ranks)
          node.mistake_at("nodes",
                          fmt::format("{} found, more than the {} ranks; correct one", record.nodes, record.ranks));
      });
  return table;
}

const FieldTable<RecordLine<PointToPointRecord>>& point_to_point_fields() {
  static const auto table = record_table<PointToPointRecord>("point_to_point", rows_of_message(),
                                                             {"s", "ms", "us", "GB/s", "MB/s"}, derive_message);
  return table;
}

const FieldTable<RecordLine<ServerRecord>>& server_fields_of_records() {
  static const auto table =
      record_table<ServerRecord>("server", rows_of_server(), {"GB/s", "MB/s", "B/s", "Gbps", "Mbps"},
                                 [](const JsonNode& /*node*/, RecordLine<ServerRecord>& line) {
                                   line.record.rate_Bps = line.value * unit_in_si(line.unit, Dimension::bandwidth);
                                 });
  return table;
}

const FieldTable<RecordLine<InputRecord>>& input_record_fields() {
  using K = InputRecord;
  static const auto table = record_table<K>(
      "input", {required_of<K>("what", &K::what, word_type({"loader", "storage"}), "what was measured")},
      {"samples/s", "MB/s", "GB/s", "B/s"}, derive_input);
  return table;
}

const FieldTable<RecordLine<LossRecord>>& loss_fields() {
  static const auto table =
      record_table<LossRecord>("loss", rows_of_loss(), {}, [](const JsonNode& node, RecordLine<LossRecord>& line) {
        refuse_bare_model_name(node, "model", line.record.model);
      });
  return table;
}

std::optional<Record> record_from(const JsonNode& line, const LineOrigin& origin) {
  if (is_layer_row(line)) return layer_row_from(line, origin);
  const auto kind = value_named<RecordKind>(line.one_of("record", names_of<RecordKind>()));
  if (!kind) return std::nullopt;
  switch (*kind) {
  case RecordKind::step:
    return read_record_line(line, step_fields(), origin);
  case RecordKind::collective:
    return read_record_line(line, collective_fields(), origin);
  case RecordKind::point_to_point:
    return read_record_line(line, point_to_point_fields(), origin);
  case RecordKind::layers:
    return read_record_line(line, layers_fields(), origin);
  case RecordKind::server:
    return read_record_line(line, server_fields_of_records(), origin);
  case RecordKind::input:
    return read_record_line(line, input_record_fields(), origin);
  case RecordKind::loss:
    return read_record_line(line, loss_fields(), origin);
  case RecordKind::speed_up:
    return read_record_line(line, speed_up_fields(), origin);
  }
  return std::nullopt;
}

bool is_of_processor_beside(const RecordHead& head, const std::string& gpu_of_cluster) {
  return head.device == "cpu" && !gpu_of_cluster.empty() && gpu_of_cluster != unnamed_device().name;
}

} // namespace ddlsim
