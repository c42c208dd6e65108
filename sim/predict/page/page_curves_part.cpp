#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/predict/page/page_curves.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const PageInterval& interval) {
  return Json::array({interval.value, interval.low, interval.high});
}

PageInterval to_interval(const Json& json) {
  return {json.at(0), json.at(1), json.at(2)};
}

Json to_json(const PagePoint& point) {
  return {{"gpus", point.gpus},
          {"error", point.error},
          {"samples_per_s", to_json(point.samples_per_s)},
          {"efficiency", to_json(point.efficiency)},
          {"cells", point.cells},
          {"parts_s", point.parts_s},
          {"measured_ratio", point.measured_ratio},
          {"alone", point.alone}};
}

int to_gpus(const Json& json) {
  constexpr double most = 1e9;
  const double gpus = json;
  if (gpus >= 1 && gpus <= most) return static_cast<int>(gpus);
  throw UserError("", "", "a number of GPUs that there cannot be");
}

PagePoint to_point(const Json& json) {
  return {to_gpus(json.at("gpus")),           json.at("error"), to_interval(json.at("samples_per_s")),
          to_interval(json.at("efficiency")), json.at("cells"), json.at("parts_s"),
          json.at("measured_ratio"),          json.at("alone")};
}

Json to_json(const PageCurve& curve) {
  Json points = Json::array();
  for (const auto& point : curve.points) points.push_back(to_json(point));
  return {{"name", curve.name}, {"facts", curve.facts}, {"cells", curve.cells}, {"points", points}};
}

PageCurve to_curve(const Json& json) {
  PageCurve curve{json.at("name"), json.at("facts"), json.at("cells"), {}};
  for (const auto& point : json.at("points")) curve.points.push_back(to_point(point));
  return curve;
}

/// Whether each row has one cell for each column, as page_scenario() makes them.
bool is_whole(const PageScenario& scenario) {
  const auto point_is = [](const PagePoint& point) {
    return point.error.empty()
               ? point.cells.size() == point_headers().size() && point.parts_s.size() == part_names().size()
               : point.cells.size() <= point_headers().size() && point.parts_s.empty();
  };
  return std::all_of(scenario.curves.begin(), scenario.curves.end(), [&](const PageCurve& curve) {
    return curve.facts.size() == fact_headers().size() && curve.cells.size() == comparison_headers().size() &&
           std::all_of(curve.points.begin(), curve.points.end(), point_is);
  });
}

} // namespace

std::string page_part(const PageScenario& scenario) {
  Json curves = Json::array(), files = Json::array();
  for (const auto& curve : scenario.curves) curves.push_back(to_json(curve));
  for (const auto& file : scenario.files) files.push_back({file.name, file.fnv1a});
  const Json json{{"name", scenario.name}, {"efficiency_bound", scenario.efficiency_bound},
                  {"curves", curves},      {"warnings", scenario.warnings},
                  {"files", files},        {"produced_by", scenario.produced_by},
                  {"text", scenario.text}};
  return json_text(json, -1, JsonBytes::ascii);
}

PageScenario read_page_part(const std::string& text) try {
  const auto json = Json::parse(text);
  PageScenario scenario;
  scenario.name = json.at("name");
  scenario.efficiency_bound = json.at("efficiency_bound");
  for (const auto& curve : json.at("curves")) scenario.curves.push_back(to_curve(curve));
  scenario.warnings = json.at("warnings").get<std::vector<std::string>>();
  for (const auto& file : json.at("files")) scenario.files.push_back({file.at(0), file.at(1)});
  scenario.produced_by = json.at("produced_by");
  scenario.text = json.at("text");
  if (!is_whole(scenario)) throw UserError("", "", "what a process wrote of a page has not the cells of its columns");
  return scenario;
} catch (const Json::exception&) {
  throw UserError("", "", "what a process wrote of a page cannot be read");
}

} // namespace ddlsim
