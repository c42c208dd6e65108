#include "sim/base/unit_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace ddlsim {
namespace {

/// A word in lower case and the unit that it means.
struct UnitWord {
  std::string_view word;
  std::string_view unit;
};

constexpr UnitWord time_words[] = {
    {"nanoseconds", "ns"},  {"microseconds", "us"}, {"usec", "us"},    {"\xC2\xB5s", "us"}, {"\xCE\xBCs", "us"},
    {"milliseconds", "ms"}, {"msec", "ms"},         {"sec", "s"},      {"secs", "s"},       {"second", "s"},
    {"seconds", "s"},       {"mins", "min"},        {"minute", "min"}, {"minutes", "min"},  {"hr", "h"},
    {"hrs", "h"},           {"hour", "h"},          {"hours", "h"},    {"day", "d"},        {"days", "d"},
    {"w", "weeks"},         {"wk", "weeks"},        {"week", "weeks"}, {"weeks", "weeks"},  {"y", "years"},
    {"yr", "years"},        {"year", "years"},      {"years", "years"}};
constexpr UnitWord rate_words[] = {
    {"img/s", "images/s"},        {"images/sec", "images/s"}, {"img/sec", "images/s"},
    {"samples/sec", "samples/s"}, {"sample/s", "samples/s"},  {"sequences/sec", "sequences/s"},
    {"seq/s", "sequences/s"},     {"tok/s", "tokens/s"},      {"tokens/sec", "tokens/s"}};
constexpr UnitWord power_words[] = {{"w", "W"}, {"watt", "W"}, {"watts", "W"}, {"kw", "kW"}, {"kilowatts", "kW"}};
constexpr UnitWord million_words[] = {{"k", "k"},       {"thousand", "k"}, {"m", "M"},  {"mn", "M"},
                                      {"million", "M"}, {"b", "B"},        {"bn", "B"}, {"g", "B"},
                                      {"billion", "B"}, {"t", "T"},        {"tn", "T"}, {"trillion", "T"}};

std::string lower_case_of(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return lower;
}

std::string meaning_of(std::string_view lower_word, std::span<const UnitWord> words) {
  const auto found = std::find_if(words.begin(), words.end(), [&](const auto& one) { return one.word == lower_word; });
  return found == words.end() ? "" : std::string(found->unit);
}

/// Removes one of the endings. Returns whether there was one.
bool cut_off(std::string& text, std::initializer_list<std::string_view> endings) {
  for (const auto ending : endings) {
    if (!text.ends_with(ending)) continue;
    text.resize(text.size() - ending.size());
    return true;
  }
  return false;
}

enum class BitsOrBytes { bits, bytes, open, neither };

/// The part of a rate or size before "/s": a prefix, and bits or bytes. A word ("bit", "bytes") says which of the two;
/// a single letter says it by its case, but only after a prefix in upper case.
struct DataUnit {
  std::string prefix; ///< "K", "M", "G" or "T", or one of these with an i; "" for none
  BitsOrBytes what = BitsOrBytes::neither;
};

DataUnit data_unit(std::string text) {
  DataUnit unit;
  auto lower = lower_case_of(text);
  auto word = lower;
  if (cut_off(word, {"bits", "bit"})) {
    unit.what = BitsOrBytes::bits;
  } else if (cut_off(word, {"bytes", "byte"})) {
    unit.what = BitsOrBytes::bytes;
  } else if (cut_off(word, {"b"})) {
    const bool is_capital = text.back() == 'B';
    const bool all_lower = text == lower && text.size() > 1;
    unit.what = is_capital ? BitsOrBytes::bytes : all_lower ? BitsOrBytes::open : BitsOrBytes::bits;
  }
  static constexpr std::pair<std::string_view, std::string_view> prefixes[] = {
      {"", ""},     {"k", "K"},   {"m", "M"},    {"g", "G"},    {"t", "T"},    {"ki", "Ki"}, {"mi", "Mi"},
      {"gi", "Gi"}, {"ti", "Ti"}, {"kilo", "K"}, {"mega", "M"}, {"giga", "G"}, {"tera", "T"}};
  for (const auto& [written, prefix] : prefixes) {
    if (word != written) continue;
    unit.prefix = prefix;
    return unit;
  }
  return {};
}

std::string usual_rate_of_data(std::string_view written) {
  std::string text(written);
  const bool by_slash = cut_off(text, {" per second", "/second", "/sec", "/s"});
  const bool by_letters = !by_slash && text.size() > 2 && cut_off(text, {"ps"});
  if (text.empty()) return "";
  const auto unit = data_unit(text);
  const bool is_bare_word = !by_slash && !by_letters;
  if (unit.what == BitsOrBytes::bits) return unit.prefix + "bps";
  // many people write "GBps" for bits; "GB" alone is a size
  return unit.what == BitsOrBytes::bytes && !is_bare_word && !by_letters ? unit.prefix + "B/s" : "";
}

std::string usual_size(std::string_view written) {
  const auto unit = written.empty() ? DataUnit{} : data_unit(std::string(written));
  return unit.what == BitsOrBytes::bytes ? unit.prefix + "B" : "";
}

/// Returns TFLOP/s for "TFLOPS", "tflop/s" and "TF", and the like for other prefixes.
std::string usual_work(std::string_view written, std::string_view ending) {
  auto lower = lower_case_of(written);
  if (!cut_off(lower, {"flops/s", "flop/s", "flops/sec", "flop/sec", "flops", "flop", "f"}) || lower.size() > 1)
    return "";
  for (char& letter : lower) letter = static_cast<char>(letter - 'a' + 'A');
  return fmt::format("{}FLOP{}", lower, ending);
}

std::string without_blanks(std::string_view text) {
  std::string kept(text);
  std::erase(kept, ' ');
  return kept;
}

/// Returns the usual unit of spellings like "$/hr", "M USD", "kUSD" and "million dollars".
std::string usual_price(std::string_view written) {
  auto lower = lower_case_of(without_blanks(written));
  const bool is_hourly = cut_off(lower, {"/h", "/hr", "/hour", "perhour"});
  if (!cut_off(lower, {"us$", "usd", "$", "dollars", "dollar"})) return "";
  if (lower.empty()) return is_hourly ? "USD/h" : "USD";
  const auto million = meaning_of(lower, million_words);
  return million.empty() || is_hourly ? "" : million + " USD";
}

/// Returns the usual unit of spellings like "B tokens" and "million".
std::string usual_count(std::string_view written) {
  auto lower = lower_case_of(without_blanks(written));
  cut_off(lower, {"tokens", "tok", "samples", "images", "sequences"});
  return lower.empty() ? "of them" : meaning_of(lower, million_words);
}

} // namespace

std::string usual_unit(std::string_view unit, Dimension dimension) {
  switch (dimension) {
  case Dimension::time:
    return meaning_of(lower_case_of(unit), time_words);
  case Dimension::size:
    return usual_size(unit);
  case Dimension::bandwidth:
    return usual_rate_of_data(unit);
  case Dimension::compute_rate:
    return usual_work(unit, "/s");
  case Dimension::work:
    return usual_work(unit, "");
  case Dimension::rate:
    return meaning_of(lower_case_of(unit), rate_words);
  case Dimension::power:
    return meaning_of(lower_case_of(unit), power_words);
  case Dimension::price:
    return usual_price(unit);
  case Dimension::count:
    return usual_count(unit);
  }
  return "";
}

std::string bits_or_bytes(std::string_view unit) {
  auto text = lower_case_of(unit);
  cut_off(text, {"/sec", "/s", "ps"});
  cut_off(text, {"b"});
  static constexpr std::string_view prefixes = "kmgt";
  if (text.size() != 1 || prefixes.find(text.front()) == std::string_view::npos) return "";
  const auto prefix = static_cast<char>(text.front() - 'a' + 'A');
  return fmt::format("write {0}B/s (bytes) or {0}b/s (bits)", prefix);
}

} // namespace ddlsim
