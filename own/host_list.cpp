#include "own/host_list.hpp"

#include "import/plain_text.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace ddlsim {
namespace {

constexpr std::size_t most_names = 100'000;
constexpr std::size_t most_digits = 9;

bool is_number(const std::string& text) {
  return !text.empty() && text.size() <= most_digits && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Returns the numbers of ranges: 01, 02, 03 and 7 for "01-03,7". Other text is taken unchanged.
std::vector<std::string> numbers_of(const std::string& ranges) {
  std::vector<std::string> numbers;
  std::size_t begin = 0;
  while (begin <= ranges.size() && numbers.size() < most_names) {
    const auto end = std::min(ranges.find(',', begin), ranges.size());
    const auto range = ranges.substr(begin, end - begin);
    const auto dash = range.find('-');
    const auto first = range.substr(0, dash);
    const auto last = dash == std::string::npos ? first : range.substr(dash + 1);
    begin = end + 1;
    if (!is_number(first) || !is_number(last)) {
      if (!range.empty()) numbers.push_back(range);
      continue;
    }
    for (long i = std::atol(first.c_str()); i <= std::atol(last.c_str()) && numbers.size() < most_names; ++i)
      numbers.push_back(fmt::format("{:0{}}", i, first.size()));
  }
  return numbers;
}

/// Adds the names of one entry of the list, which has no comma outside its brackets.
void add_names(const std::string& entry, std::vector<std::string>& names) {
  std::vector<std::string> made{""};
  std::size_t at = 0;
  while (at < entry.size()) {
    const auto open = std::min(entry.find('[', at), entry.size());
    const auto close = entry.find(']', open);
    const bool has_range = open < entry.size() && close != std::string::npos;
    const auto plain = entry.substr(at, (has_range ? open : entry.size()) - at);
    for (auto& name : made) name += plain;
    if (!has_range) break;
    std::vector<std::string> longer;
    const auto numbers = numbers_of(entry.substr(open + 1, close - open - 1));
    for (const auto& name : made)
      for (const auto& number : numbers)
        if (longer.size() < most_names) longer.push_back(name + number);
    made = std::move(longer);
    at = close + 1;
  }
  for (auto& name : made)
    if (!name.empty() && names.size() < most_names) names.push_back(std::move(name));
}

} // namespace

std::vector<std::string> host_names(const std::string& list) {
  std::vector<std::string> names;
  std::string entry;
  int depth = 0;
  for (const char letter : list + ",") {
    depth += letter == '[' ? 1 : letter == ']' ? -1 : 0;
    if (letter == ',' && depth <= 0) {
      add_names(entry, names);
      entry.clear();
    } else {
      entry += letter;
    }
  }
  if (!entry.empty()) add_names(entry.substr(0, entry.size() - 1), names); // a rest with an unclosed bracket
  return names;
}

} // namespace ddlsim
