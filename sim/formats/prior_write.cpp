#include "sim/base/json.hpp"
#include "sim/formats/prior.hpp"

#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Prior& prior) {
  Json json{{"parameter", prior.parameter}};
  if (!prior.transport.empty()) json["transport"] = prior.transport;
  if (!prior.preset.empty()) json["preset"] = prior.preset;
  if (!prior.path.empty()) json["path"] = prior.path;
  json["median"] = nine_digits(prior.median);
  json["width"] = nine_digits(prior.width);
  json["scale"] = to_text(prior.scale);
  json["unit"] = prior.unit;
  json["source"] = prior.source;
  json["shaped_by"] = prior.shaped_by;
  for (const auto& site : prior.sites)
    json["sites"].push_back(
        {{"site", site.site}, {"value", nine_digits(site.value)}, {"error", nine_digits(site.error)}});
  return json;
}

} // namespace

std::string priors_json(const std::vector<Prior>& priors) {
  Json list = Json::array();
  for (const auto& prior : priors) list.push_back(to_json(prior));
  return json_text(Json{{"format", "ddlsim-priors"}, {"version", priors_version}, {"priors", list}}, 1) + "\n";
}

} // namespace ddlsim
