#include "import/phrase_finder.hpp"

#include "import/plain_text.hpp"

#include <algorithm>
#include <string>

namespace ddlsim {
namespace {

constexpr std::size_t longest_number = 40; ///< most characters of a number

bool is_of_number(char letter) {
  return is_digit(letter) || letter == '.' || letter == ',';
}

/// Returns the value of a number such as "1,024", which has three digits after each comma. A comma or point at its end
/// is punctuation.
std::optional<PrintedNumber> grouped_number(std::string_view text) {
  while (!text.empty() && !is_digit(text.back())) text.remove_suffix(1);
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',') {
      digits += text[i];
      continue;
    }
    const auto group = text.substr(i + 1, 3);
    const bool is_thousands = group.size() == 3 && std::all_of(group.begin(), group.end(), is_digit) &&
                              (i + 4 >= text.size() || !is_digit(text[i + 4])) && i > 0;
    if (!is_thousands) break;
  }
  if (digits.starts_with('.')) digits.insert(0, "0");
  return parse_number(digits);
}

/// Skips what may stand before a number: blanks, an equals sign, quotes, brackets, a table's bar, a dotted line.
std::size_t skip_to_number(std::string_view line, std::size_t at) {
  const auto begins = [&](std::size_t i) {
    const bool is_point = line[i] == '.' && i + 1 < line.size() && is_digit(line[i + 1]) &&
                          line.substr(at, i - at).find('.') == std::string_view::npos;
    return is_digit(line[i]) || is_point;
  };
  auto i = at;
  while (i < line.size() && !begins(i)) {
    if (std::string_view(" \t:=|\"'([.").find(line[i]) == std::string_view::npos) return line.size();
    ++i;
  }
  return i;
}

std::size_t end_of_number(std::string_view line, std::size_t at) {
  while (at < line.size() && is_of_number(line[at])) ++at;
  return at;
}

/// Returns the seconds of hours, minutes and seconds that colons separate, from `at` on; 0 if there is no number.
double clock_seconds(std::string_view line, std::size_t at) {
  constexpr double next_smaller = 60;
  double seconds = number_at(line, at).value_or(0);
  auto end = end_of_number(line, at);
  while (end + 1 < line.size() && line[end] == ':' && is_digit(line[end + 1])) {
    seconds = seconds * next_smaller + number_at(line, end + 1).value_or(0);
    end = end_of_number(line, end + 1);
  }
  return seconds;
}

} // namespace

PhraseFinder::PhraseFinder(const std::vector<std::string_view>& phrases) : phrases_(phrases) {
  for (std::size_t index = 0; index < phrases_.size(); ++index) {
    const auto begin = begin_at(phrases_[index], 0);
    may_begin_[slot_of(begin)] = true;
    by_begin_.emplace(begin, index);
  }
}

std::optional<PrintedNumber> printed_at(std::string_view line, std::size_t at) {
  const auto begin = skip_to_number(line, at);
  if (begin >= line.size()) return std::nullopt;
  auto end = begin;
  while (end < line.size() && end - begin < longest_number && is_of_number(line[end])) ++end;
  const auto number = grouped_number(line.substr(begin, end - begin));
  const bool has_exponent =
      end + 2 < line.size() && (line[end] == 'e' || line[end] == 'E') &&
      (is_digit(line[end + 1]) || ((line[end + 1] == '-' || line[end + 1] == '+') && is_digit(line[end + 2])));
  if (!has_exponent) return number;
  auto last = end + 2;
  while (last < line.size() && is_digit(line[last])) ++last;
  const auto whole = parse_number(line.substr(begin, last - begin));
  return whole ? whole : number;
}

std::string_view behind_number(std::string_view line, std::size_t at) {
  return line.substr(end_of_number(line, skip_to_number(line, at)));
}

std::optional<PrintedNumber> printed_before(std::string_view line, std::size_t at) {
  auto end = std::min(at, line.size());
  while (end > 0 && (line[end - 1] == ' ' || line[end - 1] == '\t')) --end;
  auto begin = end;
  while (begin > 0 && end - begin < longest_number && is_of_number(line[begin - 1])) --begin;
  return end > begin ? grouped_number(line.substr(begin, end - begin)) : std::nullopt;
}

std::optional<double> number_at(std::string_view line, std::size_t at) {
  const auto number = printed_at(line, at);
  return number ? std::optional(number->value) : std::nullopt;
}

std::optional<double> number_ending_at(std::string_view line, std::size_t at) {
  const auto number = printed_before(line, at);
  return number ? std::optional(number->value) : std::nullopt;
}

std::optional<double> seconds_at(std::string_view line, std::size_t at) {
  constexpr double seconds_of_a_day = 86400;
  const auto number = number_at(line, at);
  if (!number) return std::nullopt;
  const auto begin = skip_to_number(line, at);
  const auto end = end_of_number(line, begin);
  const auto comma = line.find(", ", end);
  if (!line.substr(end).starts_with(" day") || comma == std::string_view::npos) return clock_seconds(line, begin);
  return *number * seconds_of_a_day + clock_seconds(line, comma + 2);
}

} // namespace ddlsim
