#include "sim/base/error.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <set>
#include <tuple>

namespace ddlsim {

namespace {

const std::vector<std::string>& keys_of(PriceKind kind) {
  static const std::vector<std::string> on_demand{"kind", "usd_per_node_hour", "date"};
  static const std::vector<std::string> reserved{"kind", "usd_per_node_hour", "term", "date"};
  static const std::vector<std::string> purchase{"kind", "usd_per_node", "date"};
  switch (kind) {
  case PriceKind::on_demand:
    return on_demand;
  case PriceKind::reserved:
    return reserved;
  case PriceKind::purchase:
    return purchase;
  case PriceKind::owned: // no price of a cluster's file
    break;
  }
  return on_demand;
}

std::string date_from(const JsonNode& node) {
  auto date = node.text("date");
  if (!date.empty() && !is_date(date))
    node.mistake_at("date", fmt::format("{} is not a date; give 2024, 2024-05 or 2024-05-17", in_quotes(date)));
  return date;
}

/// Without a good kind nobody knows which keys belong to the price: that is the one mistake.
NodePrice price_from(const JsonNode& node) {
  NodePrice price;
  if (!node.is_object()) return price;
  const auto before = node.mistakes_so_far();
  static const auto kinds = names_of<PriceKind>({PriceKind::on_demand, PriceKind::reserved, PriceKind::purchase});
  price.kind = one_of<PriceKind>(node, "kind", kinds);
  if (node.mistakes_so_far() > before) return price;
  node.allow_only(keys_of(price.kind));
  price.usd = node.positive(price.kind == PriceKind::purchase ? "usd_per_node" : "usd_per_node_hour");
  if (price.kind == PriceKind::reserved) price.term_s = node.quantity("term", Dimension::time);
  price.date = date_from(node);
  return price;
}

} // namespace

std::vector<NodePrice> prices_from(const JsonNode& root) {
  std::vector<NodePrice> prices;
  if (!root.has("prices")) return prices;
  std::set<std::tuple<PriceKind, double, std::string>> seen;
  for (const auto& node : root.list("prices")) {
    const auto before = node.mistakes_so_far();
    prices.push_back(price_from(node));
    const auto& price = prices.back();
    if (node.mistakes_so_far() == before && !seen.insert({price.kind, price.term_s, price.date}).second)
      node.mistake(fmt::format("the {} price of {} is there twice; keep one", to_text(price.kind), price.date));
  }
  return prices;
}

} // namespace ddlsim
