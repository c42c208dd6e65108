#include "sim/base/json.hpp"
#include "validate/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

/// Rounds to nine significant digits: later digits have no meaning for a reader.
Json rounded(double value) {
  return std::stod(fmt::format("{:.9g}", value));
}

Json rounded_if(bool known, double value) {
  return known ? rounded(value) : Json(nullptr);
}

Json to_json(const Range& range) {
  return Json::array({rounded(range.low), rounded(range.high)});
}

Json to_json(const std::optional<Range>& range) {
  return range ? to_json(*range) : Json(nullptr);
}

Json to_json(const Score& score) {
  const bool interval = score.points_with_interval > 0;
  return {{"points", score.points},
          {"refused", score.refused},
          {"series", score.series},
          {"clusters", score.clusters},
          {"sites", score.sites},
          {"mean_error", rounded_if(score.points > 0, score.mean_error)},
          {"median_error", rounded_if(score.points > 0, score.median_error)},
          {"worst_error", rounded_if(score.points > 0, score.worst_error)},
          {"points_with_interval", score.points_with_interval},
          {"coverage", rounded_if(interval, score.coverage)},
          {"half_width", rounded_if(interval, score.half_width)},
          {"interval_score", rounded_if(interval, score.interval_score)},
          {"mean_error_range", to_json(score.mean_error_range)},
          {"coverage_range", to_json(score.coverage_range)}};
}

Json to_json(const Forecast& forecast) {
  const bool interval = forecast.low_s > 0;
  Json json{{"predicted_s", rounded(forecast.predicted_s)},
            {"low_s", rounded_if(interval, forecast.low_s)},
            {"high_s", rounded_if(interval, forecast.high_s)}};
  if (!forecast.scenario.empty()) json["scenario"] = Json::parse(forecast.scenario);
  return json;
}

Json to_json(const ScoredPoint& point) {
  Json methods = Json::object();
  for (const auto& [method, forecast] : point.forecasts) methods[method] = to_json(forecast);
  return {{"series", point.series},
          {"cluster", point.cluster},
          {"group", point.group},
          {"model", point.model},
          {"strategy", point.strategy},
          {"preset", point.preset},
          {"transport", point.transport},
          {"gpus", point.gpus},
          {"nodes", point.nodes},
          {"split", point.split},
          {"left_out", point.left_out},
          {"class", std::string(1, point.grade)},
          {"measured_s", rounded(point.measured_s)},
          {"methods", methods},
          {"refusals", point.refusals}};
}

Json to_json(const PairedDifference& one) {
  return {{"split", one.split},         {"method", one.method},     {"baseline", one.baseline},
          {"points", one.points},       {"clusters", one.clusters}, {"difference", rounded(one.difference)},
          {"range", to_json(one.range)}};
}

Json to_json(const RankingScore& one) {
  return {{"split", one.split},
          {"method", one.method},
          {"pairs", one.pairs},
          {"right", rounded_if(one.pairs > 0, one.right)},
          {"persistence", rounded_if(one.pairs > 0, one.persistence)}};
}

Json to_json(const SeriesSummary& one) {
  return {{"series", one.id},
          {"cluster", one.cluster},
          {"model", one.model},
          {"strategy", one.strategy},
          {"preset", one.preset},
          {"transport", one.transport},
          {"scales", one.scales},
          {"multi_node_scales", one.multi_node_scales},
          {"class", std::string(1, one.noise.grade)},
          {"noise", rounded_if(one.noise.relative > 0, one.noise.relative)},
          {"noise_basis", one.noise.basis},
          {"splits", one.splits}};
}

Json to_json(const ForecastParts& one) {
  return {{"gpus", one.gpus},
          {"measured_s", rounded(one.measured_s)},
          {"predicted_s", rounded(one.predicted_s)},
          {"compute_s", rounded(one.compute_s)},
          {"communication_s", rounded(one.communication_s)},
          {"synchronisation_s", rounded(one.synchronisation_s)},
          {"straggling_s", rounded(one.straggling_s)},
          {"input_s", rounded(one.input_s)},
          {"unexplained_s", rounded(one.unexplained_s)},
          {"bottleneck", one.bottleneck},
          {"residual_factor", rounded(one.residual_factor)}};
}

Json to_json(const ParameterExplanation& one) {
  if (one.parameter.empty()) return nullptr;
  return {{"parameter", one.parameter},
          {"unit", one.unit},
          {"fitted", rounded(one.fitted)},
          {"fitted_at", rounded(one.fitted_at)},
          {"needed", rounded(one.needed)},
          {"needed_at", rounded(one.needed_at)},
          {"remaining_error", rounded(one.remaining_error)}};
}

Json to_json(const ExplainedSeries& one) {
  Json points = Json::array();
  for (const auto& point : one.why.points) points.push_back(to_json(point));
  return {{"split", one.split},
          {"series", one.series},
          {"cluster", one.cluster},
          {"method", one.method},
          {"mean_error", rounded(one.mean_error)},
          {"points", points},
          {"explanation", to_json(one.why.explanation)}};
}

template <class Item> Json to_array(const std::vector<Item>& items) {
  Json array = Json::array();
  for (const auto& item : items) array.push_back(to_json(item));
  return array;
}

template <class Key> Json to_object(const std::map<Key, Score>& scores) {
  Json object = Json::object();
  for (const auto& [key, score] : scores) object[std::string(1, key)] = to_json(score);
  return object;
}

template <> Json to_object(const std::map<std::string, Score>& scores) {
  Json object = Json::object();
  for (const auto& [key, score] : scores) object[key] = to_json(score);
  return object;
}

} // namespace

std::string validation_json(const ValidationResult& result) {
  Json root{{"format", "ddlsim-validation"}, {"version", 2}, {"methods", result.methods}};
  root["points"] = to_array(result.points);
  for (const auto* part : {"overall", "classes_a_b", "by_class", "by_cluster"}) root[part] = Json::object();
  for (const auto& score : result.scores) {
    root["overall"][score.split][score.method] = to_json(score.overall);
    root["classes_a_b"][score.split][score.method] = to_json(score.classes_a_b);
    root["by_class"][score.split][score.method] = to_object(score.by_class);
    root["by_cluster"][score.split][score.method] = to_object(score.by_cluster);
  }
  root["differences"] = to_array(result.differences);
  root["ranking"] = to_array(result.rankings);
  root["series"] = to_array(result.series);
  root["explained"] = to_array(result.explained);
  return json_text(root, 1) + "\n";
}

} // namespace ddlsim
