#include "sim/base/json.hpp"
#include "validate/accuracy_bar.hpp"

#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

constexpr const char* format_name = "ddlsim-accuracy";
constexpr int format_version = 2;
constexpr double largest_error = 1e6; ///< per cent; beyond it a figure is a slip
constexpr long most_bar_points = 10'000'000;

BarFigures read_figures(const JsonNode& split, const std::string& key) {
  BarFigures figures;
  if (!split.has(key)) {
    split.mistake_at(key, "found none, expected an object of figures in per cent");
    return figures;
  }
  const auto node = split.at(key);
  if (!node.is_object()) return figures;
  for (const auto& [name, value] : node.value().items()) figures[name] = node.number(name, 0, largest_error);
  return figures;
}

SplitBar read_split(const JsonNode& node) {
  SplitBar bar;
  if (!node.is_object()) return bar;
  node.allow_only({"points", "figures", "noise_floor"});
  bar.points = static_cast<int>(node.integer("points", 0, most_bar_points));
  bar.figures = read_figures(node, "figures");
  if (node.has("noise_floor")) bar.noise_floor = read_figures(node, "noise_floor");
  return bar;
}

nlohmann::ordered_json to_json(const SplitBar& bar) {
  nlohmann::ordered_json json{{"points", bar.points}, {"figures", bar.figures}};
  if (!bar.noise_floor.empty()) json["noise_floor"] = bar.noise_floor;
  return json;
}

} // namespace

AccuracyBar read_accuracy_bar(const std::filesystem::path& file) {
  AccuracyBar bar;
  read_document(file, format_name, format_version, [&](const JsonNode& root) {
    root.allow_only({"format", "version", "method", "unit", "sites", "splits"});
    bar.method = root.text("method");
    bar.sites = root.texts_or_none("sites");
    if (!root.has("splits")) return root.mistake_at("splits", "found none, expected an object of splits");
    const auto splits = root.at("splits");
    if (!splits.is_object()) return;
    splits.allow_only(split_names());
    for (const auto& [name, value] : splits.value().items()) bar.splits[name] = read_split(splits.at(name));
  });
  return bar;
}

std::string accuracy_bar_json(const AccuracyBar& bar) {
  nlohmann::ordered_json root{
      {"format", format_name}, {"version", format_version}, {"method", bar.method}, {"unit", "percent"}};
  if (!bar.sites.empty()) root["sites"] = bar.sites;
  root["splits"] = nlohmann::ordered_json::object();
  for (const auto& split : split_names()) {
    const auto found = bar.splits.find(split);
    if (found != bar.splits.end()) root["splits"][split] = to_json(found->second);
  }
  return json_text(root, 1) + "\n";
}

} // namespace ddlsim
