#include "sim/formats/cluster.hpp"
#include "sim/formats/field_table.hpp"
#include "sim/formats/machine_fields.hpp"

#include <fmt/format.h>

#include <compare>
#include <set>

namespace ddlsim {

namespace {

FieldTable<NodePrice> price_fields() {
  static const auto kinds = names_of<PriceKind>({PriceKind::on_demand, PriceKind::reserved, PriceKind::purchase});
  const std::string reserved = to_text(PriceKind::reserved);
  return {{required("kind", &NodePrice::kind, name_of_type<PriceKind>(kinds), "how it is paid"),
           required("usd_per_node_hour", &NodePrice::usd, positive_type(), "US dollars")
               .only_where("kind", {to_text(PriceKind::on_demand), reserved}),
           required("usd_per_node", &NodePrice::usd, positive_type(), "US dollars")
               .only_where("kind", {to_text(PriceKind::purchase)}),
           required("term", &NodePrice::term_s, quantity_type(Dimension::time),
                    "how long the node must be kept: \"8760 h\" is a year")
               .only_where("kind", {reserved}),
           required("date", &NodePrice::date, date_type(), "when the price was valid")}};
}

/// The key of a price, which is unique in a file: how the node is paid for, for how long, and the date.
struct PriceKey {
  PriceKind kind;
  double term_s;
  std::string date;
  auto operator<=>(const PriceKey&) const = default;
};

} // namespace

ValueType<std::vector<NodePrice>> prices_type() {
  auto type = list_type(object_type(price_fields()));
  type.read = [read = type.read](const JsonNode& place) {
    const auto before = place.mistakes_so_far();
    auto prices = read(place);
    if (place.mistakes_so_far() > before) return prices;
    std::set<PriceKey> seen;
    const auto places = place.elements();
    for (std::size_t i = 0; i < prices.size(); ++i) {
      const auto& price = prices[i];
      if (!seen.insert({price.kind, price.term_s, price.date}).second)
        places[i].mistake(fmt::format("the {} price of {} is there twice; keep one", to_text(price.kind), price.date));
    }
    return prices;
  };
  return type;
}

} // namespace ddlsim
