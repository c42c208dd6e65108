#include "sim/base/spelling.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

bool is_unit_name(std::string_view name) {
  return name.find('/') != std::string_view::npos;
}

} // namespace

std::string folded(std::string_view text) {
  std::string letters;
  for (const char letter : text) {
    const bool is_capital = letter >= 'A' && letter <= 'Z';
    const bool is_kept = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    if (is_capital || is_kept) letters += is_capital ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return letters;
}

std::string spelt_like(std::string_view typed, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), typed) != names.end()) return std::string(typed);
  const auto wanted = folded(typed);
  std::string found;
  for (const auto& name : names) {
    if (wanted.empty() || is_unit_name(name) || folded(name) != wanted) continue;
    if (!found.empty()) return "";
    found = name;
  }
  return found;
}

} // namespace ddlsim
