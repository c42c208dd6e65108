#include "sim/page/page.hpp"

#include "sim/page/html_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// The distinct values in the order of their first appearance.
std::vector<std::string> values_of(const std::vector<std::string>& column) {
  std::vector<std::string> values;
  for (const auto& value : column)
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  return values;
}

std::size_t place_of(const std::string& value, const std::vector<std::string>& values) {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

std::size_t shown_with(const std::vector<PageChoice>& choices, std::size_t held) {
  return static_cast<std::size_t>(std::count_if(choices.begin(), choices.end(), [&](const PageChoice& choice) {
    return std::equal(choice.begin(), choice.begin() + static_cast<std::ptrdiff_t>(held), choices.front().begin());
  }));
}

/// Number of dimensions, from the first on, that are set to one value when the page opens.
std::size_t held_at_first(const std::vector<PageChoice>& choices, std::size_t most) {
  std::size_t held = 0;
  while (held < choices.front().size() && shown_with(choices, held) > most) ++held;
  return held;
}

std::string select_of(const PageDimension& dimension, std::size_t number, const std::size_t* chosen) {
  auto select = fmt::format("<label>{}<select name=\"d{}\"><option value=\"\">all {}</option>",
                            html_escaped(dimension.name), number, dimension.values.size());
  for (std::size_t i = 0; i < dimension.values.size(); ++i)
    select += fmt::format("<option value=\"{}\"{}>{}</option>", i,
                          chosen != nullptr && *chosen == i ? " selected=\"selected\"" : "",
                          html_escaped(dimension.values[i]));
  return select + "</select></label>\n";
}

} // namespace

std::vector<PageDimension> find_dimensions(const std::vector<std::string>& names,
                                           const std::vector<std::vector<std::string>>& facts,
                                           std::vector<PageChoice>& choices) {
  std::vector<PageDimension> dimensions;
  std::vector<std::vector<std::size_t>> kept; // indices of the values, a list for each dimension
  for (std::size_t d = 0; d < names.size(); ++d) {
    std::vector<std::string> column;
    for (const auto& row : facts) column.push_back(row[d]);
    const auto values = values_of(column);
    std::vector<std::size_t> numbers;
    for (const auto& value : column) numbers.push_back(place_of(value, values));
    if (values.size() < 2 || std::find(kept.begin(), kept.end(), numbers) != kept.end()) continue;
    dimensions.push_back({names[d], values});
    kept.push_back(numbers);
  }
  choices.assign(facts.size(), {});
  for (const auto& numbers : kept)
    for (std::size_t i = 0; i < facts.size(); ++i) choices[i].push_back(numbers[i]);
  return dimensions;
}

std::string page_key(const PageChoice& choice) {
  std::string key;
  for (const auto number : choice) key += fmt::format("{}{}", key.empty() ? "" : " ", number);
  return key;
}

std::string page_controls(const std::vector<PageDimension>& dimensions, const std::vector<PageChoice>& choices,
                          std::size_t most_at_first) {
  if (dimensions.empty()) return "";
  const auto held = held_at_first(choices, most_at_first);
  std::string form = "<form id=\"pick\" hidden=\"hidden\" aria-label=\"which curves are shown\">\n";
  for (std::size_t d = 0; d < dimensions.size(); ++d)
    form += select_of(dimensions[d], d, d < held ? &choices.front()[d] : nullptr);
  return form + "<output id=\"chosen\"></output>\n</form>\n";
}

std::string html_page(const std::string& title, const std::string& body) {
  return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                     "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{0}</title>\n<style>{1}</style>\n"
                     "</head>\n<body>\n<h1>{0}</h1>\n{2}<div id=\"tip\" role=\"status\" hidden=\"hidden\"></div>\n"
                     "<script>{3}</script>\n</body>\n</html>\n",
                     html_escaped(title), page_style(), body, page_script());
}

} // namespace ddlsim
