#include "sim/base/json.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/record.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ddlsim {

namespace {

using nlohmann::ordered_json;

/// Bytes that are not UTF-8 (a log in another encoding) become U+FFFD, so that the line can be read back.
std::string one_line(const ordered_json& json) {
  return json_text(json, -1, JsonBytes::mended);
}

void put_unless_empty(ordered_json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

void put_unless_unknown(ordered_json& json, const char* key, const std::string& text) {
  if (text != kUnknown) json[key] = text;
}

void put_if_stated(ordered_json& json, const char* key, double value) {
  if (value > 0) json[key] = value;
}

ordered_json head_json(const Record& record) {
  const RecordHead& head = head_of(record);
  ordered_json json{{"record", to_text(kind_of(record))}, {"series", head.series}};
  put_unless_empty(json, "from", head.from);
  json["origin"] = head.origin;
  put_unless_empty(json, "gpu", head.gpu);
  put_unless_empty(json, "device", head.device);
  put_unless_empty(json, "host", head.host);
  put_unless_unknown(json, "transport", head.transport);
  put_unless_unknown(json, "library", head.library);
  put_unless_empty(json, "software", head.software);
  put_unless_unknown(json, "statistic", head.statistic);
  if (head.repeats > 0) json["repeats"] = head.repeats;
  put_if_stated(json, "relative_spread", head.relative_spread);
  if (head.suspect) json["suspect"] = true;
  put_unless_empty(json, "note", head.note);
  return json;
}

/// Values go out in SI, so that they come back to the last bit; those of tables are rounded.
void put_value(ordered_json& json, double value, const char* unit) {
  json["value"] = value;
  json["unit"] = unit;
}

void put(ordered_json& json, const StepRecord& step) {
  json["model"] = step.model;
  json["precision"] = to_text(step.precision);
  json["wire_precision"] = to_text(step.wire_precision);
  json["batch_per_gpu"] = step.batch_per_gpu;
  json["preset"] = step.preset;
  json["strategy"] = strategy_to_json(step.strategy, StrategyUse::record);
  put_unless_unknown(json, "algorithm", step.algorithm);
  json["gpus"] = step.gpus;
  json["nodes"] = step.nodes;
  json["gpus_per_node"] = step.gpus_per_node;
  json["synchronised"] = step.synchronised;
  if (step.host_paced) json["host_paced"] = true;
  if (!step.optimizer) json["optimizer"] = false;
  json["data"] = step.data;
  if (step.mode != RunMode::train) json["mode"] = to_text(step.mode);
  put_if_stated(json, "overlap_slowdown", step.overlap_slowdown);
  if (step.overlap_kernels > 0) json["overlap_kernels"] = step.overlap_kernels;
  put_value(json, step.iteration_s, "s");
}

void put(ordered_json& json, const CollectiveRecord& record) {
  json["operation"] = record.operation;
  put_unless_unknown(json, "algorithm", record.algorithm);
  json["ranks"] = record.ranks;
  json["nodes"] = record.nodes;
  if (record.concurrent_jobs != 1) json["concurrent_jobs"] = record.concurrent_jobs;
  json["size_bytes"] = record.size_bytes;
  put_value(json, record.time_s, "s");
}

void put(ordered_json& json, const PointToPointRecord& record) {
  json["size_bytes"] = record.size_bytes;
  if (record.nodes > 0) json["nodes"] = record.nodes;
  if (record.pairs > 1) json["pairs"] = record.pairs;
  if (record.both_ways) json["both_ways"] = true;
  put_value(json, record.time_s, "s");
}

constexpr double us_in_s = 1e-6;
constexpr int digits_of_time = 5; ///< a clock and what repetitions agree in give no more
constexpr int digits_of_spread = 2;

/// A whole number goes out without a point: tables are columns of them.
ordered_json number_of(double value) {
  constexpr double exact_up_to = 0x1p53;
  if (value == std::floor(value) && std::abs(value) < exact_up_to) return static_cast<std::int64_t>(value);
  return value;
}

ordered_json rounded(double value, int digits) {
  return number_of(std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr));
}

/// The column `get` gives of all layers; nothing where none of it is stated: 0, or no text.
template <class Get> void put_column(ordered_json& json, const char* key, const LayersRecord& record, const Get& get) {
  auto column = ordered_json::array();
  bool any = false;
  for (const auto& layer : record.layers) {
    column.push_back(get(layer));
    any = any || (column.back() != 0 && column.back() != "");
  }
  if (any) json[key] = std::move(column);
}

ordered_json pass_json(const std::vector<PassTime>& times, std::size_t layers) {
  auto time_us = std::vector<ordered_json>(layers);
  auto spread = std::vector<ordered_json>(layers, 0);
  for (const auto& one : times) {
    time_us[one.layer] = rounded(one.time_s / us_in_s, digits_of_time);
    spread[one.layer] = rounded(one.relative_spread, digits_of_spread);
  }
  ordered_json json{{"time_us", time_us}};
  if (std::any_of(spread.begin(), spread.end(), [](const auto& one) { return one != 0; })) json["spread"] = spread;
  return json;
}

ordered_json timing_json(const LayerTiming& timing, const LayersRecord& record) {
  auto json = ordered_json::object();
  if (timing.gpu != record.head.gpu) json["gpu"] = timing.gpu;
  json["precision"] = to_text(timing.precision);
  json["batch"] = number_of(timing.batch);
  if (timing.count > 0) json["count"] = timing.count;
  if (timing.suspect) json["suspect"] = true;
  for (const auto& [pass, times] : timing.passes) json[to_text(pass)] = pass_json(times, record.layers.size());
  return json;
}

void put(ordered_json& json, const LayersRecord& record) {
  json["model"] = record.model;
  auto& layers = json["layers"];
  put_column(layers, "name", record, [](const MeasuredLayer& layer) { return ordered_json(layer.name); });
  put_column(layers, "kind", record, [](const MeasuredLayer& layer) { return ordered_json(layer.kind); });
  put_column(layers, "flop_per_sample", record, [](const auto& layer) { return number_of(layer.flop_per_sample); });
  put_column(layers, "size_bytes", record, [](const auto& layer) { return number_of(layer.size_bytes); });
  auto timings = ordered_json::array();
  for (const auto& timing : record.timings) timings.push_back(timing_json(timing, record));
  json["timings"] = std::move(timings);
}

void put(ordered_json& json, const ServerRecord& record) {
  json["what"] = record.what;
  if (record.workers > 0) json["workers"] = record.workers;
  if (record.nodes > 0) json["nodes"] = record.nodes;
  put_if_stated(json, "size_bytes", record.size_bytes);
  put_unless_empty(json, "preset", record.preset);
  put_if_stated(json, "bytes", record.bytes);
  if (record.messages > 0) json["messages"] = record.messages;
  put_if_stated(json, "processor_s", record.processor_s);
  put_value(json, record.rate_Bps, "B/s");
}

void put(ordered_json& json, const InputRecord& record) {
  json["what"] = record.what;
  if (record.samples_per_s > 0) {
    put_value(json, record.samples_per_s, "samples/s");
  } else {
    put_value(json, record.rate_Bps, "B/s");
  }
}

void put(ordered_json& json, const LossRecord& record) {
  json["model"] = record.model;
  json["epoch"] = record.epoch;
  json["step"] = record.step;
  json["value"] = record.loss;
  if (record.accuracy >= 0) json["accuracy"] = record.accuracy;
}

void put(ordered_json& json, const SpeedUpRecord& record) {
  json["model"] = record.model;
  json["precision"] = to_text(record.precision);
  json["wire_precision"] = to_text(record.wire_precision);
  json["batch_per_gpu"] = record.batch_per_gpu;
  json["preset"] = record.preset;
  json["strategy"] = strategy_to_json(record.strategy, StrategyUse::record);
  json["gpus"] = record.gpus;
  json["nodes"] = record.nodes;
  json["gpus_per_node"] = record.gpus_per_node;
  json["base_gpus"] = record.base_gpus;
  json["base_nodes"] = record.base_nodes;
  json["trust"] = record.trust;
  put_unless_empty(json, "base_from", record.base_from);
  if (!record.assumed.empty()) json["assumed"] = record.assumed;
  put_value(json, record.speed_up, "times");
}

} // namespace

std::string to_json_line(const Context& context) {
  ordered_json json{{"record", "context"}, {"version", 1}, {"cluster", context.cluster}};
  put_unless_empty(json, "gpu", context.gpu);
  json["machine"] = context.machine;
  json["software"] = context.software;
  json["date"] = context.date;
  json["who"] = context.who;
  ordered_json source{{"title", context.source_title}};
  put_unless_empty(source, "repository", context.source_repository);
  put_unless_empty(source, "path", context.source_path);
  put_unless_empty(source, "commit", context.source_commit);
  put_unless_empty(source, "file", context.source_file);
  json["source"] = source;
  json["emulated"] = context.emulated;
  if (!context.settings.empty()) json["settings"] = context.settings;
  if (!context.nodes.empty()) json["nodes"] = context.nodes;
  return one_line(json);
}

std::string to_json_line(const Record& record) {
  ordered_json json = head_json(record);
  std::visit([&](const auto& one) { put(json, one); }, record);
  if (const auto& samples_s = head_of(record).samples_s; !samples_s.empty()) json["samples_s"] = samples_s;
  return one_line(json);
}

} // namespace ddlsim
