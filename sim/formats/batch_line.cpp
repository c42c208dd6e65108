#include "sim/formats/batch_line.hpp"

#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double largest_error = 10; ///< of a logarithm: a factor of 22,000; larger errors say nothing more

RecordLines record_lines_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"file", "lines"};
  if (!node.is_object()) return {};
  node.allow_only(known);
  return {node.text("file"), node.text("lines")};
}

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
      "gpu",           "model",       "precision",        "preset",        "fixed_s",
      "per_sample_s",  "least_s",     "smallest_batch",   "largest_batch", "relative_error",
      "leave_one_out", "fixed_error", "per_sample_error", "correlation",   "records",
      "sources"};
  constexpr double largest_batch = 1e9;
  constexpr long most_records = 1'000'000;
  BatchLine line;
  if (!node.is_object()) return line;
  node.allow_only(known);
  const auto before = node.mistakes_so_far();
  line.gpu = node.text_or("gpu", "");
  line.model = simple_name(node, "model");
  line.precision = one_of<Precision>(node, "precision");
  line.preset = node.text("preset");
  line.fixed_s = node.positive("fixed_s");
  line.per_sample_s = node.positive("per_sample_s");
  if (node.has("least_s")) line.least_s = node.positive("least_s");
  line.smallest_batch = node.number("smallest_batch", 0, largest_batch);
  line.largest_batch = node.number("largest_batch", 0, largest_batch);
  line.relative_error = node.number("relative_error", 0, largest_error);
  line.leave_one_out = node.number_or("leave_one_out", 0, 0, largest_error);
  line.fixed_error = node.number("fixed_error", 0, largest_error);
  line.per_sample_error = node.number("per_sample_error", 0, largest_error);
  line.correlation = node.number("correlation", -1, 1);
  line.records = static_cast<int>(node.integer_or("records", 0, 0, most_records));
  if (node.has("sources"))
    for (const auto& source : node.list("sources")) line.sources.push_back(record_lines_from(source));
  if (node.mistakes_so_far() != before) return line;
  if (line.smallest_batch <= 0) node.mistake_at("smallest_batch", "0 found; expected a batch above 0");
  if (line.smallest_batch > line.largest_batch)
    node.mistake_at("largest_batch", fmt::format("{:g} found, below smallest_batch {:g}; expected no less",
                                                 line.largest_batch, line.smallest_batch));
  return line;
}

nlohmann::ordered_json batch_line_to_json(const BatchLine& line) {
  constexpr int digits_of_time = 5;
  constexpr int digits_of_error = 3; // the error of an error is some 10 %
  const auto time = [&](double value) { return rounded_to(value, digits_of_time); };
  const auto error = [&](double value) { return rounded_to(std::min(value, largest_error), digits_of_error); };
  nlohmann::ordered_json json{{"model", line.model},
                              {"precision", to_text(line.precision)},
                              {"preset", line.preset},
                              {"fixed_s", time(line.fixed_s)},
                              {"per_sample_s", time(line.per_sample_s)},
                              {"smallest_batch", line.smallest_batch},
                              {"largest_batch", line.largest_batch},
                              {"relative_error", error(line.relative_error)},
                              {"fixed_error", error(line.fixed_error)},
                              {"per_sample_error", error(line.per_sample_error)},
                              {"correlation", rounded_to(line.correlation, digits_of_error)},
                              {"records", line.records}};
  if (!line.gpu.empty()) json["gpu"] = line.gpu;
  if (line.least_s > 0) json["least_s"] = time(line.least_s);
  if (line.leave_one_out > 0) json["leave_one_out"] = error(line.leave_one_out);
  for (const auto& source : line.sources) json["sources"].push_back({{"file", source.file}, {"lines", source.lines}});
  return json;
}

} // namespace ddlsim
