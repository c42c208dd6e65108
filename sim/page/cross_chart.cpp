#include "sim/page/cross_chart.hpp"

#include "sim/page/html_text.hpp"
#include "sim/page/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

struct CrossPlane {
  Axis x;
  Axis y;
  double across(double value) const { return x.at(std::clamp(std::log10(value), x.from, x.to)); }
  double up(double value) const { return y.at(std::clamp(std::log10(value), y.from, y.to)); }
};

/// An axis that covers those of the figures, bounds and limit that are above 0.
Axis axis_of(const std::vector<double>& figures) {
  double least = 0, most = 0;
  for (const double figure : figures) {
    if (figure <= 0) continue;
    least = least > 0 ? std::min(least, figure) : figure;
    most = std::max(most, figure);
  }
  return log_axis(least, most);
}

/// The plot area. Its x is in the unit of the axis' texts.
CrossPlane plane_of(const CrossChart& chart) {
  std::vector<double> across{chart.x_limit / chart.x_unit}, up{chart.y_limit};
  for (const auto& mark : chart.marks) {
    for (const double x : {mark.x, mark.x_low, mark.x_high}) across.push_back(x / chart.x_unit);
    for (const double y : {mark.y, mark.y_low, mark.y_high}) up.push_back(y);
  }
  CrossPlane plane{axis_of(across), axis_of(up)};
  plane.x.start = chart_left, plane.x.end = chart_width - chart_right;
  plane.y.start = chart_height - chart_bottom, plane.y.end = chart_top;
  return plane;
}

std::string limits_of(const CrossChart& chart, const CrossPlane& plane) {
  constexpr double beside = 4, below = 12;
  std::string drawn;
  if (chart.x_limit > 0) {
    const double x = plane.across(chart.x_limit / chart.x_unit);
    const bool room = x > (plane.x.start + plane.x.end) / 2;
    drawn += svg_line(x, plane.y.start, x, plane.y.end, "bound") +
             svg_note(room ? x - beside : x + beside, plane.y.end + below, room ? "end" : "start", chart.x_limit_text);
  }
  if (chart.y_limit > 0) {
    const double y = plane.up(chart.y_limit);
    drawn += svg_line(plane.x.start, y, plane.x.end, y, "bound") +
             svg_note(plane.x.start + beside, y - beside, "start", chart.y_limit_text);
  }
  return drawn;
}

/// A line that joins the options of the Pareto front, beginning with the quickest.
std::string front_line(const CrossChart& chart, const CrossPlane& plane) {
  std::vector<std::pair<double, double>> corners;
  for (const auto& mark : chart.marks)
    if (mark.on_front) corners.emplace_back(plane.across(mark.x / chart.x_unit), plane.up(mark.y));
  if (corners.size() < 2) return "";
  std::sort(corners.begin(), corners.end());
  std::string path;
  for (const auto& [x, y] : corners) path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
  return fmt::format("<path class=\"front\" d=\"{}\"/>\n", path);
}

std::string cross_of(const CrossMark& mark, const CrossChart& chart, const CrossPlane& plane) {
  const double x = plane.across(mark.x / chart.x_unit), y = plane.up(mark.y);
  const auto classes = "reach thin " + svg_style_classes(mark.group);
  std::string drawn;
  if (mark.x_low > 0)
    drawn += svg_line(plane.across(mark.x_low / chart.x_unit), y, plane.across(mark.x_high / chart.x_unit), y, classes);
  if (mark.y_low > 0) drawn += svg_line(x, plane.up(mark.y_low), x, plane.up(mark.y_high), classes);
  return drawn;
}

} // namespace

std::string cross_chart(const CrossChart& chart) {
  if (chart.marks.empty()) return "";
  const auto plane = plane_of(chart);
  auto drawing = svg_grid(plane.x, log_tick_texts(plane.x), plane.y, log_tick_texts(plane.y));
  drawing += svg_titles(plane.x, chart.x_title, plane.y, chart.y_title);
  for (const auto& mark : chart.marks) drawing += cross_of(mark, chart, plane);
  drawing += front_line(chart, plane) + limits_of(chart, plane);
  for (const auto& mark : chart.marks) {
    drawing += svg_mark(mark.group, plane.across(mark.x / chart.x_unit), plane.up(mark.y), mark.row, mark.title,
                        mark.x_low > 0 ? "" : "open");
  }
  std::vector<LegendEntry> entries;
  for (const auto& name : chart.groups) entries.push_back({name});
  return svg_legend(entries) + svg_figure(chart.caption, chart_height, drawing, "shrinks");
}

} // namespace ddlsim
