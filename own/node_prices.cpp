#include "own/node_prices.hpp"

#include "sim/base/error.hpp"
#include "sim/base/spelling.hpp"
#include "sim/base/units.hpp"
#include "sim/formats/names.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace ddlsim {
namespace {

/// The position of the name, or of the number from 1; nothing if there is none.
std::optional<std::size_t> machine_meant(const std::string& typed, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (typed == names[i] || typed == fmt::format("{}", i + 1)) return i;
  const auto meant = spelt_like(typed, names);
  const auto found = std::find(names.begin(), names.end(), meant);
  if (meant.empty() || found == names.end()) return {};
  return static_cast<std::size_t>(found - names.begin());
}

/// "1 p5, 2 p6-b200"
std::string numbered(const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < names.size(); ++i) words.push_back(fmt::format("{} {}", i + 1, names[i]));
  return join_names(words);
}

void read_price(const std::string& text, const std::vector<std::string>& names, std::vector<StatedPrice>& prices,
                Mistakes& mistakes) {
  const auto equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return mistakes.add("--price",
                        fmt::format("{} found; MACHINE=USD expected, the price of a node and hour, like {}=98",
                                    in_quotes(text), names.empty() ? "p5" : names.front()));
  const auto typed = text.substr(0, equals);
  const auto machine = machine_meant(typed, names);
  if (!machine)
    mistakes.add("--price", fmt::format("no machine is called {}; give one by name or number: {}", in_quotes(typed),
                                        numbered(names)));
  try {
    const double usd = parse_quantity(money_of(text.substr(equals + 1)), Dimension::price);
    if (usd <= 0) mistakes.add("--price", fmt::format("{} found; a price above 0 expected", in_quotes(text)));
    if (machine) prices.push_back({*machine, usd});
  } catch (const UserError& error) {
    mistakes.add("--price", error.mistakes().front().what);
  }
}

} // namespace

std::vector<StatedPrice> stated_prices(const std::vector<std::string>& typed, const std::vector<std::string>& names,
                                       Mistakes& mistakes) {
  std::vector<StatedPrice> prices;
  for (const auto& text : typed) read_price(text, names, prices, mistakes);
  return prices;
}

nlohmann::ordered_json price_of_candidate(const StatedPrice& price) {
  return {{"kind", to_text(PriceKind::on_demand)},
          {"usd_per_node_hour", price.usd_per_node_hour},
          {"source", "stated with --price"}};
}

void set_prices(nlohmann::json& request, const std::vector<std::string>& typed) {
  if (typed.empty() || !request.is_object() || !request.contains("candidates")) return;
  if (!request["candidates"].is_array()) return; // the reader of requests says so
  auto& candidates = request["candidates"];
  std::vector<std::string> names;
  for (const auto& candidate : candidates) {
    const auto of = [&](const char* key) {
      const bool has = candidate.is_object() && candidate.contains(key) && candidate[key].is_string();
      return has ? candidate[key].get<std::string>() : std::string();
    };
    names.push_back(of("name").empty() ? of("cluster") : of("name"));
  }
  Mistakes mistakes("");
  for (const auto& price : stated_prices(typed, names, mistakes))
    if (candidates[price.machine].is_object()) candidates[price.machine]["price"] = price_of_candidate(price);
  mistakes.throw_if_any();
}

std::string money_of(const std::string& typed) {
  const bool has_unit = typed.find("USD") != std::string::npos || typed.find('$') != std::string::npos;
  return has_unit ? typed : typed + " USD";
}

} // namespace ddlsim
