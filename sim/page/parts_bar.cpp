#include "sim/page/parts_bar.hpp"

#include "sim/page/html_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ddlsim {
namespace {

constexpr double length = 160; ///< length of the whole bar
constexpr double tall = 12;

} // namespace

std::string parts_bar_cell(const std::vector<std::string>& names, const std::vector<double>& parts) {
  const double whole = std::accumulate(parts.begin(), parts.end(), 0.0);
  const double drawn = std::accumulate(parts.begin(), parts.end(), 0.0,
                                       [](double sum, double part) { return sum + std::max(0.0, part); });
  std::string bar, words;
  double x = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double share = drawn > 0 ? std::max(0.0, parts[i]) / drawn : 0;
    if (parts[i] != 0 && whole > 0)
      words += fmt::format("{}{} {:.0f} %", words.empty() ? "" : ", ", names[i], 100 * parts[i] / whole);
    if (share > 0)
      bar += fmt::format("<rect class=\"q{}\" x=\"{:.1f}\" y=\"0\" width=\"{:.1f}\" height=\"{}\"/>", i + 1, x,
                         length * share, tall);
    x += length * share;
  }
  return fmt::format("<td class=\"t\"><svg class=\"parts\" role=\"img\" aria-label=\"{0}\" viewBox=\"0 0 {1} {2}\">"
                     "<title>{0}</title>{3}</svg></td>",
                     html_escaped(words), length, tall, bar);
}

std::string parts_legend(const std::vector<std::string>& names) {
  std::string items;
  for (std::size_t i = 0; i < names.size(); ++i)
    items += fmt::format("<li><svg class=\"key\" aria-hidden=\"true\" viewBox=\"0 0 12 12\"><rect class=\"q{}\" "
                         "width=\"12\" height=\"12\"/></svg> {}</li>\n",
                         i + 1, html_escaped(names[i]));
  return "<ul class=\"legend parts-legend\">\n" + items + "</ul>\n";
}

} // namespace ddlsim
