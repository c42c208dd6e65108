#include "sim/base/json.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace ddlsim {
namespace {

constexpr double unbounded = std::numeric_limits<double>::max();
constexpr long most = 1'000'000;

CalibrationScope scope_from(const Place& place) {
  return {place.one_of_or("transport", transport_names(), ""), place.text_or("preset", ""),
          place.one_of_or("precision", precision_names(), ""), place.text_or("model", ""),
          place.number_or("batch_per_gpu", 0, 0, unbounded)};
}

Prior prior_of(const Place& place, const CalibratedParameter& of, const std::string& unit) {
  static const std::vector<std::string> known{"median", "width", "scale", "source"};
  static const std::vector<std::string> scales{"log", "linear"};
  Prior prior;
  if (!place.is_object()) return prior;
  place.allow_only(known);
  prior.parameter = of.name;
  prior.median = place.number("median", -unbounded, unbounded);
  prior.width = place.positive("width");
  prior.scale = place.one_of("scale", scales);
  prior.source = place.text("source");
  prior.unit = unit;
  return prior;
}

CalibratedParameter parameter_from(const Place& place) {
  static const std::vector<std::string> known{
      "name", "transport", "preset",     "precision", "model",           "batch_per_gpu", "value", "low",
      "high", "unit",      "identified", "points",    "borrowed_points", "coordinate",    "error", "prior"};
  constexpr double farthest = 50; // prior standard deviations
  CalibratedParameter one;
  if (!place.is_object()) return one;
  place.allow_only(known);
  one.name = place.text("name");
  one.scope = scope_from(place);
  place.number("value", -unbounded, unbounded); // for people: the coordinate says it
  place.number("low", -unbounded, unbounded);
  place.number("high", -unbounded, unbounded);
  one.identified = place.boolean("identified");
  one.points = static_cast<int>(place.integer("points", 0, most));
  one.borrowed_points = static_cast<int>(place.integer_or("borrowed_points", 0, 0, most));
  one.coordinate = place.number("coordinate", -farthest, farthest);
  one.error = place.number("error", 0, farthest);
  const auto unit = place.text("unit");
  if (place.has("prior")) {
    one.prior = prior_of(place.at("prior"), one, unit);
  } else {
    place.mistake_at("prior", "missing; what was believed before, with median, width, scale and source");
  }
  return one;
}

CalibratedSeries series_from(const Place& place) {
  static const std::vector<std::string> known{
      "id", "transport", "preset", "precision", "model", "batch_per_gpu", "strategy", "spread", "borrowed", "points"};
  static const std::vector<std::string> point_keys{"gpus", "nodes", "residual", "noise"};
  CalibratedSeries one;
  if (!place.is_object()) return one;
  place.allow_only(known);
  one.id = place.text("id");
  one.scope = scope_from(place);
  one.strategy = place.text("strategy");
  one.spread = place.number("spread", 0, unbounded);
  one.borrowed = place.boolean_or("borrowed", false);
  for (const auto& point : place.list("points")) {
    if (!point.is_object()) continue;
    point.allow_only(point_keys);
    one.points.push_back({static_cast<int>(point.integer("gpus", 1, most)),
                          static_cast<int>(point.integer("nodes", 1, most)),
                          point.number("residual", -unbounded, unbounded), point.number("noise", 0, unbounded)});
  }
  return one;
}

CalibratedForm form_from(const Place& place) {
  static const std::vector<std::string> known{"transport",     "preset",  "precision", "model",
                                              "batch_per_gpu", "decides", "choices"};
  static const std::vector<std::string> what{"sharding", "all_reduce"};
  CalibratedForm one;
  if (!place.is_object()) return one;
  place.allow_only(known);
  one.scope = scope_from(place);
  one.servers = place.one_of("decides", what) == "sharding";
  const Place choices = place.at("choices");
  if (!choices.is_object()) return one;
  if (choices.value().empty()) choices.mistake("no name found; give each choice its weight, 0 to 1");
  for (const auto& [name, weight] : choices.value().items()) one.choices.push_back({name, choices.number(name, 0, 1)});
  std::stable_sort(one.choices.begin(), one.choices.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  return one;
}

/// The correlations of a parameter with those before it.
std::vector<double> correlation_row(const Place& place, std::size_t before) {
  std::vector<double> row;
  for (const auto& element : place.elements())
    row.push_back(element.value().is_number() ? element.value().get<double>() : 2);
  if (!place.value().is_array()) return row; // told
  if (std::any_of(row.begin(), row.end(), [](double r) { return !(r >= -1 && r <= 1); }))
    place.mistake("a correlation is a number from -1 to 1");
  if (row.size() != before)
    place.mistake(fmt::format("{} numbers found, {} expected: one for each parameter before", row.size(), before));
  return row;
}

std::vector<std::vector<double>> correlation_from(const Place& root, std::size_t parameters) {
  std::vector<std::vector<double>> rows;
  if (!root.has("correlation") || !root.at("correlation").value().is_array()) {
    root.list("correlation"); // tells it
    return rows;
  }
  for (const auto& place : root.list("correlation")) rows.push_back(correlation_row(place, rows.size()));
  if (rows.size() != parameters)
    root.mistake_at("correlation", fmt::format("{} rows found, {} expected: one a parameter", rows.size(), parameters));
  return rows;
}

CalibrationQuality quality_from(const Place& place) {
  static const std::vector<std::string> known{"points", "fit_error", "left_out_points", "left_out_error"};
  CalibrationQuality quality;
  if (!place.is_object()) return quality;
  place.allow_only(known);
  quality.points = static_cast<int>(place.integer("points", 0, most));
  quality.fit_error = place.number("fit_error", 0, unbounded);
  quality.left_out_points = static_cast<int>(place.integer("left_out_points", 0, most));
  quality.left_out_error = place.number("left_out_error", 0, unbounded);
  return quality;
}

std::vector<Place> list_or_none(const Place& place, const std::string& key) {
  return place.has(key) ? place.list(key) : std::vector<Place>{};
}

} // namespace

Calibration calibration_from(const Place& root) {
  static const std::vector<std::string> known{"format",  "version",     "cluster", "made_by",   "files",
                                              "quality", "parameters",  "series",  "set_aside", "correlation",
                                              "forms",   "collectives", "compute"};
  static const std::vector<std::string> aside_keys{"what", "why"};
  Calibration calibration;
  root.allow_only(known);
  calibration.cluster = root.text("cluster");
  calibration.version = root.text("made_by");
  calibration.files = root.texts_or_none("files");
  if (root.has("quality")) calibration.quality = quality_from(root.at("quality"));
  for (const auto& place : root.list("parameters")) calibration.parameters.push_back(parameter_from(place));
  for (const auto& place : list_or_none(root, "forms")) calibration.forms.push_back(form_from(place));
  for (const auto& place : root.list("series")) calibration.series.push_back(series_from(place));
  for (const auto& place : list_or_none(root, "collectives"))
    calibration.collectives.push_back(collective_curve_from(place));
  for (const auto& place : list_or_none(root, "compute")) calibration.compute.push_back(compute_line_from(place));
  for (const auto& place : list_or_none(root, "set_aside")) {
    if (!place.is_object()) continue;
    place.allow_only(aside_keys);
    calibration.set_aside.push_back({place.text("what"), place.text("why")});
  }
  calibration.correlation = correlation_from(root, calibration.parameters.size());
  return calibration;
}

Calibration read_calibration(const std::filesystem::path& file) {
  Calibration calibration;
  read_document(file, "ddlsim-calibration", 1, [&](const Place& root) { calibration = calibration_from(root); });
  return calibration;
}

} // namespace ddlsim
