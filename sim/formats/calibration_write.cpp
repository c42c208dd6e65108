#include "sim/base/json.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr double upper_95 = 1.6448536269514722; ///< 95 % of a standard normal lies below

/// Rounded to a multiple of 1/scale. Zero has no sign, which would follow the last bit of a sum.
double rounded(double value, double scale) {
  constexpr double unsigned_zero = 0.0; // -0.0 + 0.0 is 0.0
  return std::round(value * scale) / scale + unsigned_zero;
}

/// Four digits: the file is for people too, and a sixth digit of a fitted z-score means nothing.
double four_digits(double value) {
  constexpr double scale = 1e4;
  return rounded(value, scale);
}

void add_scope(Json& json, const CalibrationScope& scope) {
  if (!scope.transport.empty()) json["transport"] = scope.transport;
  if (!scope.preset.empty()) json["preset"] = scope.preset;
  if (scope.precision) json["precision"] = to_text(*scope.precision);
  if (!scope.model.empty()) json["model"] = scope.model;
  if (scope.batch_per_gpu > 0) json["batch_per_gpu"] = nine_digits(scope.batch_per_gpu);
  if (scope.one_gpu_s > 0) json["one_gpu_s"] = nine_digits(scope.one_gpu_s);
  if (!scope.evidence.empty()) json["evidence"] = scope.evidence;
}

Json to_json(const CalibratedParameter& one) {
  Json json{{"name", one.name}};
  add_scope(json, one.scope);
  const double mean = four_digits(one.z_score);
  const double error = four_digits(one.error);
  Prior prior = one.prior; // values follow from what is written, so that reading and writing change nothing
  prior.median = nine_digits(prior.median);
  prior.width = nine_digits(prior.width);
  if (prior.highest) prior.highest = nine_digits(*prior.highest);
  json["value"] = nine_digits(prior_value(prior, mean));
  json["low"] = nine_digits(prior_value(prior, mean - upper_95 * error));
  json["high"] = nine_digits(prior_value(prior, mean + upper_95 * error));
  json["unit"] = one.prior.unit;
  if (one.identified) json["identified"] = true;
  json["points"] = one.points;
  if (one.borrowed_points > 0) json["borrowed_points"] = one.borrowed_points;
  json["z_score"] = mean;
  json["error"] = error;
  auto& before = json["prior"] = {{"median", prior.median}, {"width", prior.width}};
  if (prior.highest) before["highest"] = *prior.highest;
  if (one.prior.scale != PriorScale::log) before["scale"] = to_text(one.prior.scale);
  return json;
}

Json to_json(const CalibratedSeries& one) {
  Json json{{"id", one.id}};
  add_scope(json, one.scope);
  json["strategy"] = one.strategy;
  json["spread"] = four_digits(one.spread);
  if (one.borrowed) json["borrowed"] = true;
  json["points"] = Json::array();
  for (const auto& point : one.points)
    json["points"].push_back({{"gpus", point.gpus},
                              {"nodes", point.nodes},
                              {"residual", four_digits(point.residual)},
                              {"noise", four_digits(point.noise)}});
  return json;
}

Json to_json(const CalibratedChoice& one) {
  Json json = Json::object();
  add_scope(json, one.scope);
  json[one.servers ? "sharding" : "all_reduce"] = one.name;
  return json;
}

/// A list with an element a line, so that two calibrations can be compared line by line.
std::string lines(const std::vector<Json>& elements) {
  std::string text = "[";
  for (std::size_t i = 0; i < elements.size(); ++i) text += (i > 0 ? ",\n  " : "\n  ") + json_text(elements[i]);
  return text + "\n ]";
}

template <class Element> std::vector<Json> all_to_json(const std::vector<Element>& elements) {
  std::vector<Json> all;
  for (const auto& one : elements) all.push_back(to_json(one));
  return all;
}

/// Rows of whole numbers, so many of which make one: no digits are spent on points and zeros.
std::vector<Json> whole_rows(const std::vector<std::vector<double>>& rows, double units) {
  std::vector<Json> all;
  for (const auto& row : rows) {
    Json json = Json::array();
    for (const double value : row) json.push_back(std::lround(value * units));
    all.push_back(json);
  }
  return all;
}

std::vector<Json> collective_rows(const Calibration& calibration) {
  std::vector<Json> rows;
  for (const auto& curve : calibration.collectives) rows.push_back(collective_curve_json(curve));
  return rows;
}

std::vector<Json> compute_rows(const Calibration& calibration) {
  std::vector<Json> rows;
  for (const auto& line : calibration.compute) rows.emplace_back(batch_line_to_json(line));
  return rows;
}

std::vector<Json> excluded_rows(const Calibration& calibration) {
  std::vector<Json> rows;
  for (const auto& one : calibration.excluded) rows.push_back({{"what", one.what}, {"why", one.why}});
  return rows;
}

} // namespace

std::string calibration_json(const Calibration& calibration) {
  const auto& quality = calibration.quality;
  Json judged{{"points", quality.points},
              {"fit_error", four_digits(quality.fit_error)},
              {"leave_one_out_points", quality.leave_one_out_points},
              {"leave_one_out_error", four_digits(quality.leave_one_out_error)}};
  if (quality.unmeasured_models > 0) {
    judged["unmeasured_models"] = quality.unmeasured_models;
    judged["unmeasured_model_error"] = four_digits(quality.unmeasured_model_error);
  }
  std::string text = fmt::format("{{\"format\": \"ddlsim-calibration\", \"version\": {},\n", calibration_version);
  text += " \"cluster\": " + json_text(Json(calibration.cluster)) + ",\n";
  text += " \"made_by\": " + json_text(Json(calibration.version)) + ",\n";
  text += " \"inputs\": " + json_text(Json(calibration.inputs)) + ",\n";
  text += " \"files\": " + json_text(Json(calibration.files)) + ",\n";
  text += " \"quality\": " + json_text(judged) + ",\n";
  text += " \"parameters\": " + lines(all_to_json(calibration.parameters)) + ",\n";
  text += " \"correlation_ten_thousandths\": " + lines(whole_rows(calibration.correlation, correlation_units)) + ",\n";
  if (!calibration.contradicted_draws.empty())
    text += " \"contradicted_draws\": " + json_text(Json(calibration.contradicted_draws)) + ",\n";
  text += " \"choices\": " + lines(all_to_json(calibration.choices)) + ",\n";
  text += " \"series\": " + lines(all_to_json(calibration.series)) + ",\n";
  text += " \"collectives\": " + lines(collective_rows(calibration)) + ",\n";
  text += " \"compute\": " + lines(compute_rows(calibration)) + ",\n";
  text += " \"excluded\": " + lines(excluded_rows(calibration)) + "\n}\n";
  return text;
}

} // namespace ddlsim
