#include "sim/formats/batch_line.hpp"

#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double largest_error = 10; ///< of a logarithm: a factor of 22,000, and more tells no more

} // namespace

double line_time_s(const BatchLine& line, double batch) {
  return std::max(line.least_s, line.fixed_s + line.per_sample_s * batch);
}

double line_width(const BatchLine& line, double batch) {
  const double share = line.fixed_s / (line.fixed_s + line.per_sample_s * batch);
  const double fixed = share * line.fixed_error;
  const double growing = (1 - share) * line.per_sample_error;
  const double variance = fixed * fixed + growing * growing + 2 * line.correlation * fixed * growing +
                          line.relative_error * line.relative_error;
  return std::sqrt(std::max(0.0, variance));
}

BatchLine batch_line_from(const JsonNode& node) {
  static constexpr std::string_view known[]{
      "gpu",           "model",       "precision",        "preset",        "fixed",
      "per_sample",    "least",       "smallest_batch",   "largest_batch", "relative_error",
      "leave_one_out", "fixed_error", "per_sample_error", "correlation",   "records"};
  constexpr double largest_batch = 1e9;
  BatchLine line;
  if (!node.is_object()) return line;
  node.allow_only(known);
  const auto before = node.mistakes_so_far();
  line.gpu = node.text_or("gpu", "");
  line.model = simple_name(node, "model");
  line.precision = one_of<Precision>(node, "precision");
  line.preset = node.text("preset");
  line.fixed_s = node.quantity("fixed", Dimension::time);
  line.per_sample_s = node.quantity("per_sample", Dimension::time);
  if (node.has("least")) line.least_s = node.quantity("least", Dimension::time);
  line.smallest_batch = node.number("smallest_batch", 0, largest_batch);
  line.largest_batch = node.number("largest_batch", 0, largest_batch);
  line.relative_error = node.number("relative_error", 0, largest_error);
  line.leave_one_out = node.number_or("leave_one_out", 0, 0, largest_error);
  line.fixed_error = node.number("fixed_error", 0, largest_error);
  line.per_sample_error = node.number("per_sample_error", 0, largest_error);
  line.correlation = node.number("correlation", -1, 1);
  line.records = node.texts_or_none("records");
  if (node.mistakes_so_far() != before) return line;
  if (line.smallest_batch <= 0) node.mistake_at("smallest_batch", "0 found; expected a batch above 0");
  if (line.smallest_batch > line.largest_batch)
    node.mistake_at("largest_batch", fmt::format("{:g} found, below smallest_batch {:g}; expected no less",
                                                 line.largest_batch, line.smallest_batch));
  return line;
}

nlohmann::json batch_line_to_json(const BatchLine& line) {
  const auto digits = [](double value) {
    const auto text = fmt::format("{:.9g}", value);
    double rounded = 0;
    std::from_chars(text.data(), text.data() + text.size(), rounded);
    return rounded;
  };
  const auto error = [&](double value) { return digits(std::min(value, largest_error)); };
  const auto seconds = [](double value) { return fmt::format("{:.9g} s", value); };
  nlohmann::json json{{"model", line.model},
                      {"precision", to_text(line.precision)},
                      {"preset", line.preset},
                      {"fixed", seconds(line.fixed_s)},
                      {"per_sample", seconds(line.per_sample_s)},
                      {"smallest_batch", line.smallest_batch},
                      {"largest_batch", line.largest_batch},
                      {"relative_error", error(line.relative_error)},
                      {"fixed_error", error(line.fixed_error)},
                      {"per_sample_error", error(line.per_sample_error)},
                      {"correlation", digits(line.correlation)},
                      {"records", line.records}};
  if (!line.gpu.empty()) json["gpu"] = line.gpu;
  if (line.least_s > 0) json["least"] = seconds(line.least_s);
  if (line.leave_one_out > 0) json["leave_one_out"] = error(line.leave_one_out);
  return json;
}

} // namespace ddlsim
