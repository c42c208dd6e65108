#include "sim/base/json.hpp"
#include "sim/formats/record_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ddlsim {

namespace {

using nlohmann::ordered_json;

/// Writes one line. Bytes that are not UTF-8 (a log in another encoding) become U+FFFD, so that the line can be read
/// back.
std::string one_line(const ordered_json& json) {
  return json_text(json, -1, JsonBytes::mended);
}

constexpr double us_in_s = 1e-6;
constexpr int digits_of_time = 5; ///< neither the clock nor the scatter of repetitions justifies more digits
constexpr int digits_of_spread = 2;

/// Writes a whole number without a decimal point, because tables have whole columns of them.
ordered_json number_of(double value) {
  constexpr double exact_up_to = 0x1p53;
  if (value == std::floor(value) && std::abs(value) < exact_up_to) return static_cast<std::int64_t>(value);
  return value;
}

ordered_json rounded(double value, int digits) {
  return number_of(std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr));
}

/// Adds the column that `get` returns for all layers; omits it when no layer states a value (0, or no text).
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

/// Writes a record's line with its figure in an SI unit, so that reading it gives the same bits.
template <class Kind>
ordered_json line_of(const Kind& record, const FieldTable<RecordLine<Kind>>& table, double value = 0,
                     const char* unit = "") {
  RecordLine<Kind> line;
  line.record = record;
  line.value = value;
  line.unit = unit;
  return write_fields(table, line);
}

ordered_json line_of(const StepRecord& one) {
  return line_of(one, step_fields(), one.iteration_s, "s");
}
ordered_json line_of(const CollectiveRecord& one) {
  return line_of(one, collective_fields(), one.time_s, "s");
}
ordered_json line_of(const PointToPointRecord& one) {
  return line_of(one, point_to_point_fields(), one.time_s, "s");
}
ordered_json line_of(const LayersRecord& one) {
  return line_of(one, layers_fields());
}
ordered_json line_of(const ServerRecord& one) {
  return line_of(one, server_fields_of_records(), one.rate_Bps, "B/s");
}
ordered_json line_of(const InputRecord& one) {
  const bool is_of_samples = one.samples_per_s > 0;
  return line_of(one, input_record_fields(), is_of_samples ? one.samples_per_s : one.rate_Bps,
                 is_of_samples ? "samples/s" : "B/s");
}
ordered_json line_of(const LossRecord& one) {
  return line_of(one, loss_fields());
}
ordered_json line_of(const SpeedUpRecord& one) {
  return line_of(one, speed_up_fields(), one.speed_up, "times");
}

} // namespace

ordered_json layers_json(const LayersRecord& record) {
  auto layers = ordered_json::object();
  put_column(layers, "name", record, [](const MeasuredLayer& layer) { return ordered_json(layer.name); });
  put_column(layers, "kind", record, [](const MeasuredLayer& layer) { return ordered_json(layer.kind); });
  put_column(layers, "flop_per_sample", record, [](const auto& layer) { return number_of(layer.flop_per_sample); });
  put_column(layers, "size_bytes", record, [](const auto& layer) { return number_of(layer.size_bytes); });
  return layers;
}

ordered_json timings_json(const LayersRecord& record) {
  auto timings = ordered_json::array();
  for (const auto& timing : record.timings) timings.push_back(timing_json(timing, record));
  return timings;
}

std::string to_json_line(const Context& context) {
  return one_line(write_fields(context_fields(), context));
}

std::string to_json_line(const Record& record) {
  return one_line(std::visit([](const auto& one) { return line_of(one); }, record));
}

} // namespace ddlsim
