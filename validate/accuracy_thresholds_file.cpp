#include "sim/base/json.hpp"
#include "validate/accuracy_thresholds.hpp"

#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

constexpr const char* format_name = "ddlsim-accuracy";
constexpr int format_version = 2;
constexpr double largest_error = 1e6; ///< largest figure in per cent; a larger one is a typing error
constexpr long most_stated_points = 10'000'000;

AccuracyFigures read_figures(const JsonNode& split, const std::string& key) {
  AccuracyFigures figures;
  if (!split.has(key)) {
    split.mistake_at(key, "found none, expected an object of figures in per cent");
    return figures;
  }
  const auto node = split.at(key);
  if (!node.is_object()) return figures;
  for (const auto& [name, value] : node.value().items()) figures[name] = node.number(name, 0, largest_error);
  return figures;
}

SplitThresholds read_split(const JsonNode& node) {
  SplitThresholds thresholds;
  if (!node.is_object()) return thresholds;
  node.allow_only({"points", "figures", "noise_floor"});
  thresholds.points = static_cast<int>(node.integer("points", 0, most_stated_points));
  thresholds.figures = read_figures(node, "figures");
  if (node.has("noise_floor")) thresholds.noise_floor = read_figures(node, "noise_floor");
  return thresholds;
}

nlohmann::ordered_json to_json(const SplitThresholds& thresholds) {
  nlohmann::ordered_json json{{"points", thresholds.points}, {"figures", thresholds.figures}};
  if (!thresholds.noise_floor.empty()) json["noise_floor"] = thresholds.noise_floor;
  return json;
}

} // namespace

AccuracyThresholds read_accuracy_thresholds(const std::filesystem::path& file) {
  AccuracyThresholds thresholds;
  read_document(file, format_name, format_version, [&](const JsonNode& root) {
    root.allow_only({"format", "version", "method", "unit", "sites", "splits"});
    thresholds.method = root.text("method");
    thresholds.sites = root.texts_or_none("sites");
    if (!root.has("splits")) return root.mistake_at("splits", "found none, expected an object of splits");
    const auto splits = root.at("splits");
    if (!splits.is_object()) return;
    splits.allow_only(split_names());
    for (const auto& [name, value] : splits.value().items()) thresholds.splits[name] = read_split(splits.at(name));
  });
  return thresholds;
}

std::string accuracy_thresholds_json(const AccuracyThresholds& thresholds) {
  nlohmann::ordered_json root{
      {"format", format_name}, {"version", format_version}, {"method", thresholds.method}, {"unit", "percent"}};
  if (!thresholds.sites.empty()) root["sites"] = thresholds.sites;
  root["splits"] = nlohmann::ordered_json::object();
  for (const auto& split : split_names()) {
    const auto found = thresholds.splits.find(split);
    if (found != thresholds.splits.end()) root["splits"][split] = to_json(found->second);
  }
  return json_text(root, 1) + "\n";
}

} // namespace ddlsim
