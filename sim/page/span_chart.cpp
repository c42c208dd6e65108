#include "sim/page/span_chart.hpp"

#include "sim/base/table.hpp"
#include "sim/page/html_text.hpp"
#include "sim/page/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

constexpr double names = 220, figures = 130, row_height = 22, head = 26;

std::string draw_span(const SpanRow& row, const SpanChart& chart, const Axis& x, double y) {
  constexpr std::size_t longest_name = 34, longest_figure = 22; // a letter takes about 6.3 units
  constexpr double half_bar = 7, beside = 8, half_letter = 4;
  const auto at = [&](double value) { return x.at(std::clamp(value, chart.from, chart.to)); };
  auto drawn =
      svg_text(x.start - beside, y + half_letter, "end", cut_in_the_middle(row.name, longest_name), row.name) +
      svg_text(x.end + beside, y + half_letter, "start", cut_in_the_middle(row.figure, longest_figure), row.figure);
  drawn += fmt::format("<rect class=\"expected\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                       at(row.expected_low), y - half_bar, at(row.expected_high) - at(row.expected_low), 2 * half_bar);
  drawn += svg_line(at(row.low), y, at(row.high), y, "learnt");
  return drawn + svg_mark(0, at(row.value), y, row.row, row.title);
}

} // namespace

std::string span_chart(const SpanChart& chart) {
  if (chart.rows.empty()) return "";
  const Axis x{chart.from, chart.to, names, chart_width - figures};
  const double end = head + row_height * static_cast<double>(chart.rows.size());
  std::string drawing;
  for (const auto& [at, text] : chart.ticks)
    drawing += svg_line(x.at(at), head, x.at(at), end, "grid") + svg_text(x.at(at), head - 8, "middle", text);
  double y = head + row_height / 2;
  for (const auto& row : chart.rows) {
    drawing += draw_span(row, chart, x, y);
    y += row_height;
  }
  if (chart.has_bound) drawing += svg_line(x.at(chart.bound), head, x.at(chart.bound), end, "bound");
  return svg_figure(chart.caption, end + 4, drawing);
}

} // namespace ddlsim
