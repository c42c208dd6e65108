#include "sim/formats/prior.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace ddlsim {
namespace {

PriorSite site_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"site", "value", "error"};
  if (!node.is_object()) return {};
  node.allow_only(known);
  return {node.text("site"), node.positive("value"), node.positive("error")};
}

Prior prior_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"parameter", "transport", "preset", "path",   "median",    "width",
                                            "highest",   "scale",     "unit",   "source", "shaped_by", "sites"};
  Prior prior;
  if (!node.is_object()) return prior;
  node.allow_only(known);
  prior.parameter = node.text("parameter");
  prior.transport = node.one_of_or("transport", transport_names(), "");
  prior.preset = node.text_or("preset", "");
  prior.path = name_or_none<NicPath>(node, "path");
  if (prior.path && prior.transport.empty()) node.mistake_at("path", "a path is a transport's; give \"transport\" too");
  prior.scale = one_of_or(node, "scale", PriorScale::log);
  prior.median = prior.scale == PriorScale::linear ? node.number("median", 0, unbounded) : node.positive("median");
  prior.width = node.positive("width");
  if (node.has("highest")) prior.highest = node.number("highest", prior.median, unbounded);
  prior.unit = node.text("unit");
  prior.source = node.paragraph("source");
  prior.shaped_by = node.texts_or_none("shaped_by");
  if (node.has("sites"))
    for (const auto& site : node.list("sites")) prior.sites.push_back(site_from(site));
  return prior;
}

using Json = nlohmann::ordered_json;

Json to_json(const Prior& prior) {
  Json json{{"parameter", prior.parameter}};
  if (!prior.transport.empty()) json["transport"] = prior.transport;
  if (!prior.preset.empty()) json["preset"] = prior.preset;
  if (prior.path) json["path"] = to_text(prior.path);
  json["median"] = nine_digits(prior.median);
  json["width"] = nine_digits(prior.width);
  if (prior.highest) json["highest"] = nine_digits(*prior.highest);
  json["scale"] = to_text(prior.scale);
  json["unit"] = prior.unit;
  json["source"] = prior.source;
  json["shaped_by"] = prior.shaped_by;
  for (const auto& site : prior.sites) {
    json["sites"].push_back(
        {{"site", site.site}, {"value", nine_digits(site.value)}, {"error", nine_digits(site.error)}});
  }
  return json;
}

} // namespace

bool hides(const Prior& earlier, const Prior& later) {
  if (!earlier.sites.empty() && later.sites.empty()) return false;
  const auto same = earlier.parameter == later.parameter && earlier.transport == later.transport &&
                    earlier.preset == later.preset && earlier.path == later.path;
  return same && !earlier.parameter.empty() &&
         std::all_of(earlier.shaped_by.begin(), earlier.shaped_by.end(), [&](const std::string& cluster) {
           return std::find(later.shaped_by.begin(), later.shaped_by.end(), cluster) != later.shaped_by.end();
         });
}

std::vector<Prior> priors_from(const JsonNode& root) {
  static constexpr std::string_view known[]{"format", "version", "priors"};
  std::vector<Prior> priors;
  root.allow_only(known);
  for (const auto& node : root.list("priors")) {
    const Prior prior = prior_from(node);
    if (std::any_of(priors.begin(), priors.end(), [&](const Prior& earlier) { return hides(earlier, prior); })) {
      node.mistake(fmt::format("a second prior of {} for the same transport and preset, which is never reached; keep "
                               "one, or say what the first was learnt from",
                               in_quotes(prior.parameter)));
    }
    priors.push_back(prior);
  }
  return priors;
}

std::vector<Prior> read_priors(const std::filesystem::path& file) {
  std::vector<Prior> priors;
  read_document(file, "ddlsim-priors", priors_version, [&](const JsonNode& root) { priors = priors_from(root); });
  return priors;
}

const Prior& find_prior(const std::vector<Prior>& priors, const std::string& parameter, const std::string& transport,
                        const std::string& preset) {
  const std::pair<std::string, std::string> most_special_first[] = {
      {transport, preset}, {transport, ""}, {"", preset}, {"", ""}};
  for (const auto& [for_transport, for_preset] : most_special_first) {
    for (const auto& prior : priors)
      if (prior.parameter == parameter && prior.transport == for_transport && prior.preset == for_preset) return prior;
  }
  std::set<std::string> known;
  for (const auto& prior : priors) known.insert(prior.parameter);
  if (known.count(parameter) > 0) {
    throw UserError("", "",
                    fmt::format("no prior of {} holds for transport {} and preset {}; add one without them",
                                in_quotes(parameter), in_quotes(transport), in_quotes(preset)));
  }
  const std::vector<std::string> names(known.begin(), known.end());
  throw UserError("", "", unknown_name_text("prior", parameter, names, names));
}

double prior_value(const Prior& prior, double z_score) {
  const double value = prior.scale == PriorScale::linear ? std::max(0.0, prior.median + prior.width * z_score)
                                                         : prior.median * std::exp(prior.width * z_score);
  return prior.highest ? std::min(value, *prior.highest) : value;
}

std::string priors_json(const std::vector<Prior>& priors) {
  std::string lines; // a prior a line, so that two files can be compared line by line
  for (const auto& prior : priors) lines += (lines.empty() ? "" : ",\n") + json_text(to_json(prior));
  return fmt::format("{{\"format\":\"ddlsim-priors\",\"version\":{},\"priors\":[\n{}\n]}}\n", priors_version, lines);
}

} // namespace ddlsim
