#include "sim/base/error.hpp"

#include <utility>

namespace ddlsim {

namespace {

std::string joined(const std::vector<Mistake>& mistakes) {
  std::string lines;
  for (const auto& mistake : mistakes) {
    if (!lines.empty()) lines += '\n';
    lines += to_text(mistake);
  }
  return lines;
}

} // namespace

UserError::UserError(std::vector<Mistake> mistakes)
    : std::runtime_error(joined(mistakes)), mistakes_(std::move(mistakes)) {}

UserError::UserError(std::string where, std::string path, std::string what)
    : UserError(std::vector<Mistake>{{std::move(where), std::move(path), std::move(what)}}) {}

std::string to_text(const Mistake& mistake) {
  std::string text = mistake.where;
  for (const auto* part : {&mistake.path, &mistake.what}) {
    if (part->empty()) continue;
    if (!text.empty()) text += ": ";
    text += *part;
  }
  return text;
}

} // namespace ddlsim
