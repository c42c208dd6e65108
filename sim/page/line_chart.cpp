#include "sim/page/line_chart.hpp"

#include "sim/page/html_text.hpp"
#include "sim/page/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// Both axes of the chart, and how figures are mapped to them.
struct CurvePlane {
  Axis x;
  Axis y;
  CurveScale scale = CurveScale::logarithmic;

  double across(double value) const { return x.at(std::log2(value)); }
  double up(double value) const {
    const double figure = scale == CurveScale::logarithmic ? std::log10(value) : value;
    return y.at(std::clamp(figure, y.from, y.to));
  }
};

struct CurveRange {
  double least_x = 0, most_x = 0, least = 0, most = 0;
  bool any = false;
};

/// Whether the point can be drawn on the chart.
bool has_place(const LinePoint& point, CurveScale scale) {
  return point.x > 0 && (scale == CurveScale::share || (point.y > 0 && point.low > 0));
}

CurveRange range_of(const LineChart& chart) {
  CurveRange range;
  for (const auto& curve : chart.curves) {
    for (const auto& run : curve.runs) {
      for (const auto& point : run) {
        if (!has_place(point, chart.scale)) continue;
        if (!range.any) range = {point.x, point.x, point.low, point.high, true};
        range.least_x = std::min(range.least_x, point.x);
        range.most_x = std::max(range.most_x, point.x);
        range.least = std::min({range.least, point.low, point.y});
        range.most = std::max({range.most, point.high, point.y, point.measured});
        if (point.measured > 0) range.least = std::min(range.least, point.measured);
      }
    }
  }
  return range;
}

Axis share_axis(double most) {
  constexpr double step = 0.2, widest = 2; // an interval is cut where it goes beyond 200 %
  return {0, std::clamp(std::ceil(most / step - 1e-9) * step, 1.0, widest)};
}

CurvePlane plane_of(const LineChart& chart, const CurveRange& range) {
  CurvePlane plane;
  plane.scale = chart.scale;
  constexpr double margin = 0.3; // share of a doubling
  plane.x = {std::floor(std::log2(range.least_x)) - margin, std::ceil(std::log2(range.most_x)) + margin, chart_left,
             chart_width - chart_right};
  plane.y = chart.scale == CurveScale::share ? share_axis(range.most) : log_axis(range.least, range.most);
  plane.y.start = chart_height - chart_bottom;
  plane.y.end = chart_top;
  return plane;
}

std::vector<Tick> doublings(const Axis& x) {
  constexpr double most = 12; // largest number of texts that fit beside each other
  const double first = std::ceil(x.from), last = std::floor(x.to);
  const double step = std::ceil((last - first + 1) / most);
  std::vector<Tick> ticks;
  for (double tick = first; tick <= last; tick += step) ticks.push_back({tick, fmt::format("{:.0f}", std::exp2(tick))});
  return ticks;
}

std::vector<Tick> shares(const Axis& y) {
  constexpr double step = 0.2;
  std::vector<Tick> ticks;
  for (int i = 0; i * step <= y.to + 1e-9; ++i) ticks.push_back({i * step, fmt::format("{:.0f} %", 100 * i * step)});
  return ticks;
}

std::string path_of(const std::vector<std::pair<double, double>>& corners) {
  std::string path;
  for (const auto& [x, y] : corners) path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
  return path;
}

/// The interval of each point as an area; for a single point, a vertical line.
std::string band(const std::vector<LinePoint>& run, const CurvePlane& plane, std::size_t style) {
  if (run.size() == 1) {
    const double x = plane.across(run[0].x);
    return svg_line(x, plane.up(run[0].low), x, plane.up(run[0].high), "reach " + svg_style_classes(style));
  }
  std::vector<std::pair<double, double>> corners;
  for (const auto& point : run) corners.emplace_back(plane.across(point.x), plane.up(point.high));
  std::for_each(run.rbegin(), run.rend(),
                [&](const auto& point) { corners.emplace_back(plane.across(point.x), plane.up(point.low)); });
  return fmt::format("<path class=\"band {}\" d=\"{}z\"/>\n", svg_style_classes(style), path_of(corners));
}

std::string draw(const ChartCurve& curve, const CurvePlane& plane, std::size_t style) {
  std::string bands, lines, marks;
  for (const auto& whole : curve.runs) {
    std::vector<LinePoint> run;
    for (const auto& point : whole)
      if (has_place(point, plane.scale)) run.push_back(point);
    if (run.empty()) continue;
    std::vector<std::pair<double, double>> corners;
    for (const auto& point : run) {
      corners.emplace_back(plane.across(point.x), plane.up(point.y));
      marks += svg_mark(style, corners.back().first, corners.back().second, point.row, point.title);
      if (point.measured > 0)
        marks += svg_mark(style, corners.back().first, plane.up(point.measured), point.row, point.title, "ring");
    }
    bands += band(run, plane, style);
    lines += fmt::format("<path class=\"curve {}\" d=\"{}\"/>\n", svg_style_classes(style), path_of(corners));
  }
  const auto key = curve.key.empty() ? "" : fmt::format(" data-k=\"{}\"", html_escaped(curve.key));
  return fmt::format("<g{}>\n{}{}{}</g>\n", key, bands, lines, marks);
}

} // namespace

std::string line_chart(const LineChart& chart) {
  const auto range = range_of(chart);
  if (!range.any) return "";
  const auto plane = plane_of(chart, range);
  auto drawing = svg_grid(plane.x, doublings(plane.x), plane.y,
                          chart.scale == CurveScale::share ? shares(plane.y) : log_tick_texts(plane.y));
  drawing += svg_titles(plane.x, chart.x_title, plane.y, chart.y_title);
  for (std::size_t i = 0; i < chart.curves.size(); ++i) drawing += draw(chart.curves[i], plane, i);
  if (chart.bound > 0) {
    const double y = plane.up(chart.bound);
    drawing +=
        svg_line(plane.x.start, y, plane.x.end, y, "bound") + svg_note(plane.x.end - 4, y - 4, "end", chart.bound_text);
  }
  constexpr std::size_t many = 4;
  return svg_figure(chart.caption, chart_height, drawing, chart.curves.size() > many ? "shrinks many" : "shrinks");
}

std::string line_legend(const std::vector<ChartCurve>& curves) {
  std::vector<LegendEntry> entries;
  for (const auto& curve : curves) entries.push_back({curve.name, curve.key});
  return svg_legend(entries);
}

} // namespace ddlsim
