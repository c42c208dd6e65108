#include "sim/base/json.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr double upper_95 = 1.6448536269514722; ///< 95 % of a standard normal lie below it

/// Rounds to a multiple of 1/scale. Zero gets no sign, because the sign would depend on the last bit of a sum.
double rounded(double value, double scale) {
  constexpr double unsigned_zero = 0.0; // -0.0 + 0.0 is 0.0
  return std::round(value * scale) / scale + unsigned_zero;
}

/// Rounds to four decimals: people read the file too, and a sixth digit of a fitted z-score means nothing.
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
  Prior prior = one.prior; // values are computed from written digits, so that rewriting changes nothing
  prior.median = nine_digits(prior.median);
  prior.width = nine_digits(prior.width);
  if (prior.highest) prior.highest = nine_digits(*prior.highest);
  constexpr int digits_for_people = 4;
  const auto value_at = [&](double z_score) { return rounded_to(prior_value(prior, z_score), digits_for_people); };
  json["value"] = value_at(mean);
  json["low"] = value_at(mean - upper_95 * error);
  json["high"] = value_at(mean + upper_95 * error);
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

/// Position of the name in an id CLUSTER/FILE/NAME; many series come from one file.
std::size_t begin_of_name(const std::string& id) {
  const auto file = id.find('/');
  const auto name = file == std::string::npos ? file : id.find('/', file + 1);
  return name == std::string::npos ? 0 : name + 1;
}

/// Writes whole numbers of 1/10,000, which need no points and leading zeros.
long ten_thousandths(double value) {
  return std::lround(value * ten_thousand);
}

/// Writes a series. The usual noise of its points is written once, and again only for points with another noise.
Json to_json(const CalibratedSeries& one) {
  const auto name = begin_of_name(one.id);
  const auto usual_noise = one.points.empty() ? 0 : ten_thousandths(one.points.front().noise);
  Json json{{"name", one.id.substr(name)}};
  if (name > 0) json["file"] = one.id.substr(0, name - 1);
  add_scope(json, one.scope);
  json["strategy"] = one.strategy;
  json["spread_ten_thousandths"] = ten_thousandths(one.spread);
  json["noise_ten_thousandths"] = usual_noise;
  if (one.borrowed) json["borrowed"] = true;
  json["points"] = Json::array();
  for (const auto& point : one.points) {
    json["points"].push_back(
        {{"gpus", point.gpus}, {"nodes", point.nodes}, {"residual_ten_thousandths", ten_thousandths(point.residual)}});
    const auto noise = ten_thousandths(point.noise);
    if (noise != usual_noise) json["points"].back()["noise_ten_thousandths"] = noise;
  }
  return json;
}

Json to_json(const CalibratedChoice& one) {
  Json json = Json::object();
  add_scope(json, one.scope);
  json[one.servers ? "sharding" : "all_reduce"] = one.name;
  return json;
}

Json to_json(const CollectiveCurve& one) {
  return collective_curve_json(one);
}

Json to_json(const BatchLine& one) {
  return batch_line_to_json(one);
}

Json to_json(const Excluded& one) {
  return {{"what", one.what}, {"why", one.why}};
}

/// Writes a list with one element in each line, so that two calibrations can be compared line by line.
std::string lines(const Json& elements) {
  std::string text = "[";
  for (const auto& element : elements) text += (text.size() > 1 ? ",\n" : "\n") + json_text(element);
  return text + "]";
}

std::string table_text(const Json& table) {
  return fmt::format(R"({{"columns": {}, "rows": {}}})", json_text(table["columns"]), lines(table["rows"]));
}

template <class Element> std::vector<Json> all_to_json(const std::vector<Element>& elements) {
  std::vector<Json> all;
  for (const auto& one : elements) all.push_back(to_json(one));
  return all;
}

/// Omits the zeros at a row's end.
Json rows_of_ten_thousandths(const std::vector<std::vector<double>>& rows) {
  Json all = Json::array();
  for (const auto& row : rows) {
    Json json = Json::array();
    for (const double value : row) json.push_back(ten_thousandths(value));
    while (!json.empty() && json.back() == 0) json.erase(json.size() - 1);
    all.push_back(json);
  }
  return all;
}

/// The texts of the tables by key, and the values that the tables share.
struct WrittenTables {
  std::vector<std::pair<std::string, std::string>> texts;
  SharedValues shared;
};

WrittenTables write_tables(const Calibration& calibration) {
  WrittenTables written;
  const auto write = [&](const std::string& key, const auto& elements) {
    if (elements.empty()) return;
    const auto& tables = calibration_tables();
    const auto table = std::find_if(tables.begin(), tables.end(), [&](const auto& one) { return one.key == key; });
    written.texts.emplace_back(key, table_text(fold_table(all_to_json(elements), table->columns, written.shared)));
  };
  write("parameters", calibration.parameters);
  write("choices", calibration.choices);
  write("series", calibration.series);
  write("collectives", calibration.collectives);
  write("compute", calibration.compute);
  write("excluded", calibration.excluded);
  return written;
}

} // namespace

std::string calibration_json(const Calibration& calibration) {
  const auto tables = write_tables(calibration);
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
  text += " \"shared\": " + json_text(Json(tables.shared)) + ",\n";
  text += " \"correlation_ten_thousandths\": " + lines(rows_of_ten_thousandths(calibration.correlation)) + ",\n";
  if (!calibration.contradicted_draws.empty())
    text += " \"contradicted_draws\": " + json_text(Json(calibration.contradicted_draws)) + ",\n";
  for (const auto& [key, table] : tables.texts) text += fmt::format(" \"{}\": {},\n", key, table);
  return text + " \"quality\": " + json_text(judged) + "\n}\n";
}

} // namespace ddlsim
