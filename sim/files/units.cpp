#include "sim/files/units.hpp"

#include "sim/files/error.hpp"
#include "sim/files/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace ddlsim {

namespace {

struct Unit {
  std::string_view name;
  double si;
  bool printed; ///< print_quantity may use it; the others are only read
};

struct UnitTable {
  std::string_view example;
  std::vector<Unit> units; ///< printed ones ascending
};

constexpr double bit = 1.0 / 8;
constexpr double kibi = 1024;

// bits and bytes: powers of 1000 after SI, powers of 1024 after IEC 80000-13.
const UnitTable& table_of(Dimension dimension) {
  static const UnitTable time{"1.5 us",
                              {{"ns", 1e-9, true},
                               {"us", 1e-6, true},
                               {"ms", 1e-3, true},
                               {"s", 1, true},
                               {"min", 60, true},
                               {"h", 3600, true}}};
  static const UnitTable size{"16 GiB",
                              {{"B", 1, true},
                               {"KB", 1e3, true},
                               {"MB", 1e6, true},
                               {"GB", 1e9, true},
                               {"TB", 1e12, true},
                               {"KiB", kibi, false},
                               {"MiB", kibi * kibi, false},
                               {"GiB", kibi * kibi * kibi, false},
                               {"TiB", kibi * kibi * kibi * kibi, false}}};
  static const UnitTable bandwidth{"100 Gbps",
                                   {{"B/s", 1, true},
                                    {"KB/s", 1e3, true},
                                    {"MB/s", 1e6, true},
                                    {"GB/s", 1e9, true},
                                    {"TB/s", 1e12, true},
                                    {"bps", bit, false},
                                    {"Kbps", 1e3 * bit, false},
                                    {"Mbps", 1e6 * bit, false},
                                    {"Gbps", 1e9 * bit, false},
                                    {"Tbps", 1e12 * bit, false},
                                    {"MiB/s", kibi * kibi, false},
                                    {"GiB/s", kibi * kibi * kibi, false}}};
  static const UnitTable compute_rate{"15.7 TFLOP/s",
                                      {{"FLOP/s", 1, true},
                                       {"MFLOP/s", 1e6, true},
                                       {"GFLOP/s", 1e9, true},
                                       {"TFLOP/s", 1e12, true},
                                       {"PFLOP/s", 1e15, true}}};
  static const UnitTable work{"8 GFLOP",
                              {{"FLOP", 1, true}, {"MFLOP", 1e6, true}, {"GFLOP", 1e9, true}, {"TFLOP", 1e12, true}}};
  static const UnitTable rate{
      "350 samples/s",
      {{"samples/s", 1, true}, {"images/s", 1, false}, {"sequences/s", 1, false}, {"tokens/s", 1, false}}};
  static const UnitTable power{"300 W", {{"W", 1, true}, {"kW", 1e3, true}}};
  static const UnitTable price{"10000 USD", {{"USD", 1, true}, {"USD/h", 1, false}}};
  switch (dimension) {
  case Dimension::time:
    return time;
  case Dimension::size:
    return size;
  case Dimension::bandwidth:
    return bandwidth;
  case Dimension::compute_rate:
    return compute_rate;
  case Dimension::work:
    return work;
  case Dimension::rate:
    return rate;
  case Dimension::power:
    return power;
  case Dimension::price:
    return price;
  }
  std::abort(); // every enumerator is above; a cast integer is a programming error
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// "did you mean GB/s or Gbps?": GBps, GBit/s and the like can mean either, a factor of eight apart.
std::string unit_hint(std::string_view unit, Dimension dimension) {
  std::vector<std::string> names;
  for (const auto& known : table_of(dimension).units) names.emplace_back(known.name);
  if (dimension == Dimension::bandwidth && unit.size() == 4 && unit.substr(1) == "Bps")
    return fmt::format("write {0}B/s (bytes) or {0}bps (bits)", unit[0]);
  for (const auto& name : names)
    if (lower(name) == lower(unit)) return fmt::format("did you mean {}?", name);
  const std::string nearest = nearest_name(unit, names);
  if (!nearest.empty()) return fmt::format("did you mean {}?", nearest);
  return "";
}

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  constexpr std::size_t longest_shown = 40;
  const std::string shown(text.substr(0, longest_shown));
  throw UserError("", "", fmt::format("\"{}\" {}", shown, why));
}

std::string known_units(Dimension dimension) {
  std::vector<std::string> names;
  for (const auto& unit : table_of(dimension).units) names.emplace_back(unit.name);
  return join_names(names);
}

/// The number in front, and where it ends.
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

/// 4 significant digits without an exponent, as far as a person would write it.
std::string four_digits(double value) {
  const std::string rounded = fmt::format("{:.4g}", value);
  double again = 0;
  std::from_chars(rounded.data(), rounded.data() + rounded.size(), again);
  return fmt::format("{}", again);
}

} // namespace

double unit_in_si(std::string_view unit, Dimension dimension) {
  for (const auto& known : table_of(dimension).units)
    if (known.name == unit) return known.si;
  return 0;
}

std::string_view example_quantity(Dimension dimension) {
  return table_of(dimension).example;
}

double parse_quantity(std::string_view text, Dimension dimension) {
  std::size_t end = 0;
  const double number = leading_number(text, end);
  std::string_view unit = text.substr(end);
  if (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  const auto& example = table_of(dimension).example;
  if (unit.empty())
    refuse(text, fmt::format("has no unit; write one of {}, like \"{}\"", known_units(dimension), example));
  const double si = unit_in_si(unit, dimension);
  if (si == 0) {
    const std::string hint = unit_hint(unit, dimension);
    refuse(text, fmt::format("has an unknown unit; known here: {}{}{}", known_units(dimension),
                             hint.empty() ? "" : "; ", hint));
  }
  if (!std::isfinite(number * si)) refuse(text, "is too large or too small a number to hold");
  return number * si;
}

std::string print_quantity(double si_value, Dimension dimension) {
  const auto& units = table_of(dimension).units;
  const Unit* chosen = nullptr;
  for (const auto& unit : units) {
    if (!unit.printed) continue;
    chosen = &unit;
    constexpr double rounds_to_next = 999.95; // would be shown as 1000 with 4 digits
    if (std::abs(si_value) < rounds_to_next * unit.si) break;
  }
  if (si_value == 0) chosen = &*std::find_if(units.begin(), units.end(), [](const Unit& unit) { return unit.si == 1; });
  return fmt::format("{} {}", four_digits(si_value / chosen->si), chosen->name);
}

} // namespace ddlsim
