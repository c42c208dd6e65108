#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/statistics.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace ddlsim {
namespace {

constexpr long most = 1'000'000;
constexpr double farthest = 50; ///< largest z-score, in standard deviations of the prior

CalibrationScope scope_from(const JsonNode& node) {
  CalibrationScope scope;
  scope.transport = node.one_of_or("transport", transport_names(), "");
  scope.preset = node.text_or("preset", "");
  if (node.has("precision")) scope.precision = one_of<Precision>(node, "precision");
  scope.model = node.text_or("model", "");
  scope.batch_per_gpu = node.number_or("batch_per_gpu", 0, 0, unbounded);
  scope.one_gpu_s = node.number_or("one_gpu_s", 0, 0, unbounded);
  scope.evidence = node.text_or("evidence", "");
  return scope;
}

Prior prior_of(const JsonNode& node, const CalibratedParameter& of, const std::string& unit) {
  static constexpr std::string_view known[]{"median", "width", "highest", "scale"};
  Prior prior;
  if (!node.is_object()) return prior;
  node.allow_only(known);
  prior.parameter = of.name;
  prior.median = node.number("median", -unbounded, unbounded);
  prior.width = node.positive("width");
  if (node.has("highest")) prior.highest = node.number("highest", prior.median, unbounded);
  prior.scale = one_of_or(node, "scale", PriorScale::log);
  prior.unit = unit;
  return prior;
}

CalibratedParameter parameter_from(const JsonNode& node) {
  static constexpr std::string_view known[]{
      "name", "transport", "preset", "precision",  "model",  "batch_per_gpu",   "one_gpu_s", "evidence", "value",
      "low",  "high",      "unit",   "identified", "points", "borrowed_points", "z_score",   "error",    "prior"};
  CalibratedParameter one;
  if (!node.is_object()) return one;
  node.allow_only(known);
  one.name = node.text("name");
  one.scope = scope_from(node);
  node.number("value", -unbounded, unbounded); // for people; z_score has the same information
  node.number("low", -unbounded, unbounded);
  node.number("high", -unbounded, unbounded);
  one.identified = node.boolean_or("identified", false);
  one.points = static_cast<int>(node.integer("points", 0, most));
  one.borrowed_points = static_cast<int>(node.integer_or("borrowed_points", 0, 0, most));
  one.z_score = node.number("z_score", -farthest, farthest);
  one.error = node.number("error", 0, farthest);
  const auto unit = node.text("unit");
  if (node.has("prior")) {
    one.prior = prior_of(node.at("prior"), one, unit);
  } else {
    node.mistake_at("prior", "missing; give the distribution before the fit: median, width and scale");
  }
  return one;
}

constexpr std::string_view spread_key = "spread_ten_thousandths";
constexpr std::string_view noise_key = "noise_ten_thousandths";
constexpr std::string_view residual_key = "residual_ten_thousandths";

CalibratedSeries series_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"file",     "name",          "transport", "preset",   "precision",
                                            "model",    "batch_per_gpu", "one_gpu_s", "evidence", "strategy",
                                            spread_key, noise_key,       "borrowed",  "points"};
  static constexpr std::string_view point_keys[]{"gpus", "nodes", residual_key, noise_key};
  CalibratedSeries one;
  if (!node.is_object()) return one;
  node.allow_only(known);
  one.id = node.text("name");
  if (node.has("file")) one.id = node.text("file") + "/" + one.id;
  one.scope = scope_from(node);
  one.strategy = node.text("strategy");
  one.spread = node.number(spread_key, 0, unbounded) / ten_thousand;
  const double usual_noise = node.number(noise_key, 0, unbounded) / ten_thousand;
  one.borrowed = node.boolean_or("borrowed", false);
  for (const auto& point : node.list("points")) {
    if (!point.is_object()) continue;
    point.allow_only(point_keys);
    one.points.push_back({static_cast<int>(point.integer("gpus", 1, most)),
                          static_cast<int>(point.integer("nodes", 1, most)),
                          point.number(residual_key, -unbounded, unbounded) / ten_thousand,
                          point.has(noise_key) ? point.number(noise_key, 0, unbounded) / ten_thousand : usual_noise});
  }
  return one;
}

std::vector<JsonNode> list_or_none(const JsonNode& node, const std::string& key) {
  return node.has(key) ? node.list(key) : std::vector<JsonNode>{};
}

CalibratedChoice choice_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"transport",     "preset",   "precision", "model",
                                            "batch_per_gpu", "sharding", "all_reduce"};
  CalibratedChoice one;
  if (!node.is_object()) return one;
  node.allow_only(known);
  one.scope = scope_from(node);
  one.servers = node.has("sharding");
  one.name = node.text(one.servers ? "sharding" : "all_reduce");
  return one;
}

/// Reads a list of whole numbers between plus and minus `most_units` and divides them by `units`. Missing numbers at
/// its end, up to `count`, are zeros.
std::vector<double> whole_row(const JsonNode& node, std::size_t count, double units, double most_units) {
  std::vector<double> row;
  for (const auto& element : node.elements()) {
    const bool whole = element.value().is_number_integer();
    const auto value = whole ? element.value().get<double>() : 2 * most_units;
    if (!(std::abs(value) <= most_units))
      element.mistake(fmt::format("{} found; give a whole number from -{} to {}", describe(element.value()), most_units,
                                  most_units));
    row.push_back(value / units);
  }
  if (row.size() > count) node.mistake(fmt::format("{} numbers found, at most {} expected", row.size(), count));
  row.resize(count, 0);
  return row;
}

constexpr const char* correlation_key = "correlation_ten_thousandths";

/// Row i has the correlations of parameter i with the parameters before it.
std::vector<std::vector<double>> correlation_from(const JsonNode& root, std::size_t parameters) {
  std::vector<std::vector<double>> rows;
  const auto before = root.mistakes_so_far();
  if (!root.has(correlation_key) || !root.at(correlation_key).value().is_array()) {
    root.list(correlation_key); // notes the missing list
    return rows;
  }
  for (const auto& node : root.list(correlation_key))
    rows.push_back(whole_row(node, rows.size(), ten_thousand, ten_thousand));
  if (rows.size() != parameters)
    root.mistake_at(correlation_key,
                    fmt::format("{} rows found, {} expected: one a parameter", rows.size(), parameters));
  const double rounding = static_cast<double>(parameters) / ten_thousand; // of the entries of a row together
  if (root.mistakes_so_far() == before && !are_correlations(rows, rounding))
    root.mistake_at(correlation_key,
                    "no parameters can go together like that: the matrix is not positive definite; run "
                    "`ddlsim calibrate` for this cluster");
  return rows;
}

CalibrationQuality quality_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"points",
                                            "fit_error",
                                            "leave_one_out_points",
                                            "leave_one_out_error",
                                            "unmeasured_models",
                                            "unmeasured_model_error"};
  CalibrationQuality quality;
  if (!node.is_object()) return quality;
  node.allow_only(known);
  quality.points = static_cast<int>(node.integer("points", 0, most));
  quality.fit_error = node.number("fit_error", 0, unbounded);
  quality.leave_one_out_points = static_cast<int>(node.integer("leave_one_out_points", 0, most));
  quality.leave_one_out_error = node.number("leave_one_out_error", 0, unbounded);
  quality.unmeasured_models = static_cast<int>(node.integer_or("unmeasured_models", 0, 0, most));
  quality.unmeasured_model_error = node.number_or("unmeasured_model_error", 0, 0, unbounded);
  return quality;
}

/// Reads positions of draws, without repeats.
std::vector<int> contradicted_from(const JsonNode& root) {
  std::set<int> positions;
  for (const auto& node : list_or_none(root, "contradicted_draws")) {
    const bool whole = node.value().is_number_integer();
    const double position = whole ? node.value().get<double>() : -1;
    if (!(position >= 0 && position < posterior_draw_count && positions.insert(static_cast<int>(position)).second))
      node.mistake(fmt::format("{} found; give whole numbers from 0 to {}, each once", describe(node.value()),
                               posterior_draw_count - 1));
  }
  return {positions.begin(), positions.end()};
}

Calibration unfolded_calibration_from(const JsonNode& root) {
  static constexpr std::string_view known[]{
      "format", "version",  "cluster",       "made_by", "files",       "quality", "parameters",
      "series", "excluded", correlation_key, "choices", "collectives", "compute", "contradicted_draws",
      "inputs"};
  static constexpr std::string_view excluded_keys[]{"what", "why"};
  Calibration calibration;
  root.allow_only(known);
  calibration.cluster = root.text("cluster");
  calibration.version = root.text("made_by");
  calibration.inputs = root.text_or("inputs", "");
  calibration.files = root.texts_or_none("files");
  if (root.has("quality")) calibration.quality = quality_from(root.at("quality"));
  for (const auto& node : list_or_none(root, "parameters")) calibration.parameters.push_back(parameter_from(node));
  calibration.contradicted_draws = contradicted_from(root);
  for (const auto& node : list_or_none(root, "choices")) calibration.choices.push_back(choice_from(node));
  for (const auto& node : list_or_none(root, "series")) calibration.series.push_back(series_from(node));
  for (const auto& node : list_or_none(root, "collectives"))
    calibration.collectives.push_back(collective_curve_from(node));
  for (const auto& node : list_or_none(root, "compute")) calibration.compute.push_back(batch_line_from(node));
  for (const auto& node : list_or_none(root, "excluded")) {
    if (!node.is_object()) continue;
    node.allow_only(excluded_keys);
    calibration.excluded.push_back({node.text("what"), node.text("why")});
  }
  calibration.correlation = correlation_from(root, calibration.parameters.size());
  return calibration;
}

} // namespace

Calibration calibration_from(const JsonNode& root) {
  const auto before = root.mistakes_so_far();
  const auto unfolded = unfold_tables(root, calibration_tables());
  if (root.mistakes_so_far() == before) return unfolded_calibration_from(root.with(unfolded));
  Calibration broken; // never used: the document's tables are broken
  broken.cluster = root.text_or("cluster", "");
  return broken;
}

void read_calibration_document(const std::filesystem::path& file, const std::function<void(const JsonNode&)>& read) {
  const auto refuse_older = [&](const nlohmann::json& document) {
    if (!document.is_object() || document.value("format", nlohmann::json{}) != "ddlsim-calibration") return;
    const auto version = document.value("version", nlohmann::json{});
    const auto cluster = document.value("cluster", nlohmann::json{});
    if (!version.is_number_integer() || version >= calibration_version || !cluster.is_string()) return;
    throw UserError(
        file.string(), "/version",
        fmt::format("written by an older ddlsim; run `ddlsim calibrate --cluster {}`", cluster.get<std::string>()));
  };
  read_document(file, "ddlsim-calibration", calibration_version, read, refuse_older);
}

Calibration read_calibration(const std::filesystem::path& file) {
  Calibration calibration;
  read_calibration_document(file, [&](const JsonNode& root) { calibration = calibration_from(root); });
  return calibration;
}

Calibration as_written(const Calibration& calibration) {
  const auto document = parse_json(calibration_json(calibration), calibration.cluster);
  Mistakes mistakes(calibration.cluster);
  auto written = calibration_from(JsonNode(document, "", mistakes));
  mistakes.throw_if_any();
  return written;
}

} // namespace ddlsim
