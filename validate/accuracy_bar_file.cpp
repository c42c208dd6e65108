#include "sim/base/json.hpp"
#include "validate/accuracy_bar.hpp"

#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

constexpr const char* format_name = "ddlsim-accuracy";
constexpr double largest_error = 1e6; ///< per cent; beyond it a figure is a slip
constexpr long most_bar_points = 10'000'000;

std::map<std::string, double> read_figures(const JsonNode& split, const std::string& key) {
  std::map<std::string, double> figures;
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
  node.allow_only({"points", "figures", "clusters"});
  bar.points = static_cast<int>(node.integer("points", 0, most_bar_points));
  bar.figures = read_figures(node, "figures");
  bar.clusters = read_figures(node, "clusters");
  return bar;
}

nlohmann::ordered_json to_json(const SplitBar& bar) {
  return {{"points", bar.points}, {"figures", bar.figures}, {"clusters", bar.clusters}};
}

} // namespace

AccuracyBar read_accuracy_bar(const std::filesystem::path& file) {
  AccuracyBar bar;
  read_document(file, format_name, 1, [&](const JsonNode& root) {
    root.allow_only({"format", "version", "method", "unit", "splits"});
    bar.method = root.text("method");
    if (!root.has("splits")) return root.mistake_at("splits", "found none, expected an object of splits");
    const auto splits = root.at("splits");
    if (!splits.is_object()) return;
    splits.allow_only(split_names());
    for (const auto& [name, value] : splits.value().items()) bar.splits[name] = read_split(splits.at(name));
  });
  return bar;
}

std::string accuracy_bar_json(const AccuracyBar& bar) {
  nlohmann::ordered_json root{{"format", format_name}, {"version", 1}, {"method", bar.method}, {"unit", "percent"}};
  root["splits"] = nlohmann::ordered_json::object();
  for (const auto& split : split_names()) {
    const auto found = bar.splits.find(split);
    if (found != bar.splits.end()) root["splits"][split] = to_json(found->second);
  }
  return json_text(root, 1) + "\n";
}

} // namespace ddlsim
