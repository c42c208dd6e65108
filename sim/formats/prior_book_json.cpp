#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/learnt_parameter.hpp"
#include "sim/formats/prior_book.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace ddlsim {
namespace {

/// Reads the class of a row of priors.json or of a site's value.
PriorClass class_from(const JsonNode& node) {
  PriorClass of{node.text("parameter"), node.one_of_or("transport", transport_names(), ""), node.text_or("preset", ""),
                name_or_none<NicPath>(node, "path")};
  if (of.path && of.transport.empty()) node.mistake_at("path", "a path is a transport's; give \"transport\" too");
  return of;
}

/// Reads a width of ln x. A value out of bounds is a typing error, and its square would overflow or vanish.
double width_from(const JsonNode& node, const char* key) {
  constexpr double least = 1e-6;
  constexpr double most = 100;
  return node.number(key, least, most);
}

Prior expected_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"parameter", "transport", "preset", "path",   "median",   "width",
                                            "highest",   "scale",     "unit",   "source", "shaped_by"};
  Prior prior;
  if (!node.is_object()) return prior;
  node.allow_only(known);
  const auto of = class_from(node);
  prior.parameter = of.parameter;
  prior.transport = of.transport;
  prior.preset = of.preset;
  prior.path = of.path;
  prior.scale = one_of_or(node, "scale", PriorScale::log);
  prior.median = prior.scale == PriorScale::linear ? node.number("median", 0, unbounded) : node.positive("median");
  prior.width = prior.scale == PriorScale::linear ? node.positive("width") : width_from(node, "width");
  if (node.has("highest")) prior.highest = node.number("highest", prior.median, unbounded);
  prior.unit = node.text("unit");
  prior.source = node.paragraph("source");
  prior.shaped_by = node.texts_or_none("shaped_by");
  return prior;
}

/// Whether the later of two rows is never used: the first of a class applies, unless a site that shaped it is left out.
bool hides(const Prior& earlier, const Prior& later) {
  return class_of(earlier) == class_of(later) && !earlier.parameter.empty() &&
         std::all_of(earlier.shaped_by.begin(), earlier.shaped_by.end(),
                     [&](const std::string& site) { return is_in(later.shaped_by, site); });
}

std::vector<Prior> all_expected_from(const JsonNode& root) {
  std::vector<Prior> priors;
  for (const auto& node : root.list("expected")) {
    const Prior prior = expected_from(node);
    if (std::any_of(priors.begin(), priors.end(), [&](const Prior& earlier) { return hides(earlier, prior); })) {
      node.mistake(fmt::format("a second row of {} for the same transport and preset, which is never reached; keep "
                               "one, or say which sites shaped the first",
                               in_quotes(prior.parameter)));
    }
    priors.push_back(prior);
  }
  return priors;
}

SiteValue value_from(const JsonNode& node, const std::set<PriorClass>& expected, std::set<PriorClass>& seen) {
  static constexpr std::string_view known[]{"parameter", "transport", "preset", "path", "value", "error"};
  if (!node.is_object()) return {};
  node.allow_only(known);
  SiteValue value{class_from(node), node.positive("value"), width_from(node, "error")};
  if (value.of.parameter.empty()) return value;
  if (learnt_parameter(value.of.parameter) == nullptr)
    node.mistake_at("parameter", fmt::format("{} is not learnt from sites; remove the value", //
                                             in_quotes(value.of.parameter)));
  else if (expected.count(value.of) == 0)
    node.mistake(fmt::format("no row of \"expected\" is of {}; add one, or remove the value", to_text(value.of)));
  else if (!seen.insert(value.of).second)
    node.mistake(fmt::format("a second value of {} from this site; keep one", to_text(value.of)));
  return value;
}

std::vector<SiteSummary> sites_from(const JsonNode& root, const std::vector<Prior>& expected) {
  static constexpr std::string_view known[]{"site", "values"};
  std::set<PriorClass> classes;
  for (const auto& prior : expected) classes.insert(class_of(prior));
  std::set<std::string> names;
  std::vector<SiteSummary> sites;
  for (const auto& node : root.list("sites")) {
    if (!node.is_object()) continue;
    node.allow_only(known);
    sites.push_back({node.text("site"), {}});
    if (!names.insert(sites.back().site).second)
      node.mistake_at("site", fmt::format("a second summary of {}; keep one", in_quotes(sites.back().site)));
    std::set<PriorClass> seen;
    for (const auto& value : node.list("values")) sites.back().values.push_back(value_from(value, classes, seen));
  }
  return sites;
}

using Json = nlohmann::ordered_json;

Json to_json(const PriorClass& of) {
  Json json{{"parameter", of.parameter}};
  if (!of.transport.empty()) json["transport"] = of.transport;
  if (!of.preset.empty()) json["preset"] = of.preset;
  if (of.path) json["path"] = to_text(of.path);
  return json;
}

Json to_json(const Prior& prior) {
  auto json = to_json(class_of(prior));
  json["median"] = nine_digits(prior.median);
  json["width"] = nine_digits(prior.width);
  if (prior.highest) json["highest"] = nine_digits(*prior.highest);
  if (prior.scale != PriorScale::log) json["scale"] = to_text(prior.scale);
  json["unit"] = prior.unit;
  json["source"] = prior.source;
  if (!prior.shaped_by.empty()) json["shaped_by"] = prior.shaped_by;
  return json;
}

Json to_json(const SiteValue& value) {
  auto json = to_json(value.of);
  json["value"] = nine_digits(value.value);
  json["error"] = nine_digits(value.error);
  return json;
}

/// Writes one element in each line, so that two files can be compared line by line.
template <class Each> std::string lines_of(const std::vector<Each>& all) {
  std::string lines;
  for (const auto& one : all) lines += (lines.empty() ? "" : ",\n") + json_text(to_json(one));
  return lines;
}

} // namespace

PriorBook prior_book_from(const JsonNode& root) {
  static constexpr std::string_view known[]{"format", "version", "model", "expected", "sites"};
  root.allow_only(known);
  PriorBook book{root.text_or("model", ""), all_expected_from(root), {}, {}};
  book.sites = sites_from(root, book.expected);
  return book;
}

PriorBook read_priors(const std::filesystem::path& file) {
  PriorBook book;
  read_document(file, "ddlsim-priors", priors_version, [&](const JsonNode& root) { book = prior_book_from(root); });
  return book;
}

std::string priors_json(const PriorBook& book) {
  std::string sites;
  for (const auto& one : book.sites)
    sites += fmt::format("{}{{\"site\":{},\"values\":[\n{}\n]}}", sites.empty() ? "" : ",\n", json_text(one.site),
                         lines_of(one.values));
  const auto model = book.model.empty() ? "" : fmt::format("\"model\":{},", json_text(book.model));
  return fmt::format("{{\"format\":\"ddlsim-priors\",\"version\":{},{}\"expected\":[\n{}\n],\n\"sites\":[\n{}\n]}}\n",
                     priors_version, model, lines_of(book.expected), sites);
}

} // namespace ddlsim
