#include "sim/base/units.hpp"

#include "sim/base/error.hpp"
#include "sim/base/unit_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

namespace ddlsim {

namespace {

struct Unit {
  std::string_view name;
  double si;
  bool printed;          ///< whether print_quantity() may use it; other units are only read
  double until = 999.95; ///< the unit is used below this many of it, because 4 digits would write more as 1000
};

struct UnitTable {
  std::string_view example;
  std::span<const Unit> units; ///< the units that may be printed are in ascending order
};

constexpr double bit = 1.0 / 8;
constexpr double kibi = 1024;
constexpr double mebi = kibi * kibi;
constexpr double gibi = kibi * mebi;
constexpr double tebi = kibi * gibi;

// The units of bits and bytes. SI prefixes are powers of 1000, and those of IEC 80000-13 powers of 1024.
constexpr std::array time_units{
    Unit{"ns", 1e-9, true}, Unit{"us", 1e-6, true},       Unit{"ms", 1e-3, true},
    Unit{"s", 1, true},     Unit{"min", 60, true},        Unit{"h", 3600, true, 96},
    Unit{"d", 86400, true}, Unit{"weeks", 604800, false}, Unit{"years", 365 * 86400.0, false}};
constexpr std::array size_units{Unit{"B", 1, true},       Unit{"KB", 1e3, true},    Unit{"MB", 1e6, true},
                                Unit{"GB", 1e9, true},    Unit{"TB", 1e12, true},   Unit{"KiB", kibi, false},
                                Unit{"MiB", mebi, false}, Unit{"GiB", gibi, false}, Unit{"TiB", tebi, false}};
constexpr std::array bandwidth_units{Unit{"B/s", 1, true},
                                     Unit{"KB/s", 1e3, true},
                                     Unit{"MB/s", 1e6, true},
                                     Unit{"GB/s", 1e9, true},
                                     Unit{"TB/s", 1e12, true},
                                     Unit{"bps", bit, false},
                                     Unit{"Kbps", 1e3 * bit, false},
                                     Unit{"Mbps", 1e6 * bit, false},
                                     Unit{"Gbps", 1e9 * bit, false},
                                     Unit{"Tbps", 1e12 * bit, false},
                                     Unit{"MiB/s", mebi, false},
                                     Unit{"GiB/s", gibi, false},
                                     Unit{"KiB/s", kibi, false},
                                     Unit{"TiB/s", tebi, false},
                                     Unit{"Kibps", kibi* bit, false},
                                     Unit{"Mibps", mebi* bit, false},
                                     Unit{"Gibps", gibi* bit, false},
                                     Unit{"Tibps", tebi* bit, false}};
constexpr std::array compute_rate_units{Unit{"FLOP/s", 1, true}, Unit{"MFLOP/s", 1e6, true}, Unit{"GFLOP/s", 1e9, true},
                                        Unit{"TFLOP/s", 1e12, true}, Unit{"PFLOP/s", 1e15, true}};
constexpr std::array work_units{Unit{"FLOP", 1, true}, Unit{"MFLOP", 1e6, true}, Unit{"GFLOP", 1e9, true},
                                Unit{"TFLOP", 1e12, true}};
constexpr std::array rate_units{Unit{"samples/s", 1, true}, Unit{"images/s", 1, false}, Unit{"sequences/s", 1, false},
                                Unit{"tokens/s", 1, false}};
constexpr std::array power_units{Unit{"W", 1, true}, Unit{"kW", 1e3, true}, Unit{"MW", 1e6, true}};
constexpr std::array price_units{Unit{"USD", 1, true, 999950}, Unit{"M USD", 1e6, true}, Unit{"B USD", 1e9, true},
                                 Unit{"T USD", 1e12, true},    Unit{"USD/h", 1, false},  Unit{"k USD", 1e3, false}};
constexpr std::array count_units{Unit{"", 1, true},    Unit{"k", 1e3, true},  Unit{"M", 1e6, true},
                                 Unit{"B", 1e9, true}, Unit{"T", 1e12, true}, Unit{"of them", 1, false}};

UnitTable table_of(Dimension dimension) {
  switch (dimension) {
  case Dimension::time:
    return {"1.5 us", time_units};
  case Dimension::size:
    return {"16 GiB", size_units};
  case Dimension::bandwidth:
    return {"100 Gbps", bandwidth_units};
  case Dimension::compute_rate:
    return {"15.7 TFLOP/s", compute_rate_units};
  case Dimension::work:
    return {"8 GFLOP", work_units};
  case Dimension::rate:
    return {"350 samples/s", rate_units};
  case Dimension::power:
    return {"300 W", power_units};
  case Dimension::price:
    return {"10000 USD", price_units};
  case Dimension::count:
    return {"300B", count_units};
  }
  std::abort(); // the switch has every enumerator, so only an integer that was cast gets here
}

/// Returns "write GB/s (bytes) or Gb/s (bits)", or else a suggestion of the nearest unit.
std::string unit_hint(std::string_view unit, Dimension dimension) {
  if (dimension == Dimension::bandwidth)
    if (auto hint = bits_or_bytes(unit); !hint.empty()) return hint;
  std::vector<std::string> names;
  for (const auto& known : table_of(dimension).units) names.emplace_back(known.name);
  const std::string nearest = nearest_name(unit, names);
  return nearest.empty() ? "" : fmt::format("did you mean {}?", nearest);
}

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  constexpr std::size_t longest_shown = 40;
  const std::string shown(text.substr(0, longest_shown));
  throw UserError("", "", fmt::format("\"{}\" {}", shown, why));
}

std::string known_units(Dimension dimension) {
  std::vector<std::string> names;
  for (const auto& unit : table_of(dimension).units) {
    const bool is_rare = unit.name.empty() || unit.name == "of them" || unit.name.ends_with("ibps") ||
                         unit.name == "KiB/s" || unit.name == "TiB/s";
    if (!is_rare) names.emplace_back(unit.name);
  }
  return join_names(names);
}

/// The number at the start of the text, and the position of its end.
double leading_number(std::string_view text, std::size_t& end) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  end = static_cast<std::size_t>(result.ptr - text.data());
  if (result.ec == std::errc::result_out_of_range) refuse(text, "is too large or too small a number to hold");
  if (result.ec != std::errc()) refuse(text, "does not begin with a number; write a number and a unit");
  if (!std::isfinite(value)) refuse(text, "is not a finite number; leave the field out when it is not known");
  if (value < 0 || std::signbit(value)) refuse(text, "is negative; give 0 or more");
  return value;
}

/// Writes 4 significant digits without an exponent.
std::string four_digits(double value) {
  const std::string rounded = fmt::format("{:.4g}", value);
  double again = 0;
  std::from_chars(rounded.data(), rounded.data() + rounded.size(), again);
  return fmt::format("{}", again);
}

/// The number if the whole text is one; else a value that is not finite.
double bare_number(std::string_view text, bool whole) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (whole && text.find_first_not_of("0123456789", text.substr(0, 1) == "-" ? 1 : 0) != std::string_view::npos)
    return none;
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() ? value : none;
}

std::string expected_text(const ExpectedNumber& expected) {
  const std::string kind = expected.whole ? "a whole number" : "a number";
  if (!std::isfinite(expected.most))
    return fmt::format("{} {}", kind,
                       expected.above_least ? fmt::format("above {:.10g}", expected.least)
                                            : fmt::format("of {:.10g} or more", expected.least));
  return fmt::format("{} {} {:.10g} {} {}{:.10g}", kind, expected.above_least ? "above" : "from", expected.least,
                     expected.above_least ? "and up to" : "to", expected.below_most ? "below " : "", expected.most);
}

} // namespace

std::string number_complaint(std::string_view text, const ExpectedNumber& expected) {
  const double value = bare_number(text, expected.whole);
  const auto found = [&](const ExpectedNumber& what) {
    const auto shown = std::isnan(value) ? in_quotes(text) : std::string(text);
    return fmt::format("{} found, {} expected", shown, expected_text(what));
  };
  const bool too_small = expected.above_least ? value <= expected.least : value < expected.least;
  const bool too_large = expected.below_most ? value >= expected.most : value > expected.most;
  if (!std::isfinite(value) || too_small || too_large) return found(expected);
  auto fitting = expected;
  if (expected.whole && !std::isfinite(expected.most)) fitting.most = std::numeric_limits<std::int32_t>::max();
  return value > fitting.most ? found(fitting) : "";
}

double unit_in_si(std::string_view unit, Dimension dimension) {
  for (const auto& known : table_of(dimension).units)
    if (known.name == unit) return known.si;
  return 0;
}

std::string_view example_quantity(Dimension dimension) {
  return table_of(dimension).example;
}

double parse_quantity(std::string_view text, Dimension dimension) {
  const bool has_dollar_first = dimension == Dimension::price && text.starts_with('$');
  const auto amount = has_dollar_first ? text.substr(text.starts_with("$ ") ? 2 : 1) : text;
  std::size_t end = 0;
  const double number = leading_number(amount, end);
  std::string unit(amount.substr(end));
  if (unit.starts_with(' ')) unit.erase(0, 1);
  // for spellings like "$3M" and "$2.5/h"
  if (has_dollar_first) unit.insert(std::min(unit.size(), unit.find('/')), "USD");
  const auto example = table_of(dimension).example;
  if (unit.empty() && dimension != Dimension::count)
    refuse(text, fmt::format("has no unit; write one of {}, like \"{}\"", known_units(dimension), example));
  double si = unit_in_si(unit, dimension);
  if (const auto usual = usual_unit(unit, dimension); si == 0 && !usual.empty()) si = unit_in_si(usual, dimension);
  if (si == 0) {
    const std::string hint = unit_hint(unit, dimension);
    refuse(text, fmt::format("has an unknown unit; known here: {}{}{}", known_units(dimension),
                             hint.empty() ? "" : "; ", hint));
  }
  if (!std::isfinite(number * si)) refuse(text, "is too large or too small a number to hold");
  return number * si;
}

std::string print_quantity(double value, Dimension dimension) {
  const auto units = table_of(dimension).units;
  const Unit* chosen = nullptr;
  for (const auto& unit : units) {
    if (!unit.printed) continue;
    chosen = &unit;
    if (std::abs(value) < unit.until * unit.si) break;
  }
  if (value == 0) chosen = &*std::find_if(units.begin(), units.end(), [](const Unit& unit) { return unit.si == 1; });
  auto digits = four_digits(value / chosen->si);
  // for prices like "3.0 M USD"
  if (dimension == Dimension::price && chosen->si > 1 && digits.size() == 1) digits += ".0";
  return fmt::format("{}{}{}", digits, dimension == Dimension::count ? "" : " ", chosen->name);
}

} // namespace ddlsim
