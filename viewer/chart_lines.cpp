#include "viewer/chart_frame.hpp"
#include "viewer/html_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double least_step_px = 2; ///< nearer points of a line are not told apart
constexpr double least_hit_px = 4;

/// The points that stand at least so many pixels from the one before; the first and the last are always among them.
std::vector<const ChartPoint*> points_apart(const ChartCanvas& canvas, const PictureLine& line, double step_px) {
  std::vector<const ChartPoint*> kept;
  for (const auto& point : line.points) {
    const bool is_near = !kept.empty() && std::abs(x_px(canvas, point.x) - x_px(canvas, kept.back()->x)) < step_px;
    if (is_near && &point != &line.points.back()) continue;
    if (is_near && kept.size() > 1) kept.pop_back();
    kept.push_back(&point);
  }
  return kept;
}

std::string classes_of(const PictureLine& line) {
  return line.is_verdict ? "line bad" : "line " + colour_class_of(line.colour) + (line.has_band ? " first" : "");
}

void draw_band(ChartCanvas& canvas, const std::vector<const ChartPoint*>& points) {
  std::string path;
  for (const auto* point : points)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', x_px(canvas, point->x), y_px(canvas, point->high));
  for (auto point = points.rbegin(); point != points.rend(); ++point)
    path += fmt::format("L{:.1f} {:.1f}", x_px(canvas, (*point)->x), y_px(canvas, (*point)->low));
  canvas.svg += fmt::format("<path class=\"band\" d=\"{}Z\"/>\n", path);
}

void draw_hits(ChartCanvas& canvas, const PictureLine& line) {
  for (const auto* point : points_apart(canvas, line, least_hit_px)) {
    if (point->readout.empty()) continue;
    canvas.hits += fmt::format(
        "<circle class=\"hit\" data-x=\"{:g}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"7\"><title>{}</title></circle>\n",
        point->x, x_px(canvas, point->x), y_px(canvas, point->y), html_escaped(point->readout));
  }
}

void draw_line(ChartCanvas& canvas, const PictureLine& line) {
  const auto points = points_apart(canvas, line, least_step_px);
  std::string path;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = x_px(canvas, points[i]->x);
    const double y = y_px(canvas, points[i]->y);
    path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', x, y);
    if (i > 0) take_line(canvas.occupied, x_px(canvas, points[i - 1]->x), y_px(canvas, points[i - 1]->y), x, y);
  }
  canvas.svg += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", classes_of(line), path);
  draw_hits(canvas, line);
}

/// The texts at a line's end, and where they stand.
struct LineEnd {
  const PictureLine* line = nullptr;
  std::vector<std::string> name;
  bool has_value = false;
};

double line_height(const ChartCanvas& canvas) {
  return canvas.font_px + 3;
}

/// Below it are the figures of the x axis.
double ends_bottom(const ChartCanvas& canvas) {
  return canvas.bottom + 8;
}

/// Names, and values where there is room for all of them; the last lines lose theirs first.
std::vector<LineEnd> ends_with_room(const ChartCanvas& canvas, std::vector<TextBox>& boxes) {
  const double width = canvas.width - canvas.right - 14;
  std::vector<LineEnd> ends;
  double rows = 0;
  for (const auto& line : canvas.chart.lines) {
    if (line.points.empty() || line.name.empty()) continue;
    ends.push_back({&line, wrapped_text(line.name, canvas.font_px, width), !line.value.empty()});
    rows += static_cast<double>(ends.back().name.size()) + (ends.back().has_value ? 1 : 0);
  }
  const double height = line_height(canvas);
  constexpr double gap_px = 4;
  const double room = ends_bottom(canvas) - canvas.top + 12;
  const auto needs = [&] { return rows * height + gap_px * static_cast<double>(ends.size()); };
  for (auto end = ends.rbegin(); end != ends.rend() && needs() > room; ++end)
    if (end->has_value) end->has_value = false, --rows;
  while (!ends.empty() && needs() > room) rows -= static_cast<double>(ends.back().name.size()), ends.pop_back();
  for (const auto& end : ends) {
    const double own = height * static_cast<double>(end.name.size() + (end.has_value ? 1 : 0)) + gap_px;
    boxes.push_back({canvas.right + 14, y_px(canvas, end.line->points.back().y) - own / 2, width, own});
  }
  return ends;
}

} // namespace

void draw_lines(ChartCanvas& canvas) {
  const auto& lines = canvas.chart.lines;
  for (const auto& line : lines)
    if (line.has_band && !line.points.empty()) draw_band(canvas, points_apart(canvas, line, least_step_px));
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) // the first one above the others
    if (!line->points.empty()) draw_line(canvas, *line);
}

void draw_line_ends(ChartCanvas& canvas) {
  std::vector<TextBox> boxes;
  const auto ends = ends_with_room(canvas, boxes);
  spread_boxes(boxes, canvas.top - 12, ends_bottom(canvas));
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto& line = *ends[i].line;
    const auto& last = line.points.back();
    const auto classes = line.is_verdict ? std::string("bad") : colour_class_of(line.colour);
    const double middle = boxes[i].top + line_height(canvas) * 0.75;
    canvas.svg += fmt::format("<path class=\"leader {}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", classes,
                              x_px(canvas, last.x) + 1, y_px(canvas, last.y), boxes[i].left - 3, middle);
    double y = boxes[i].top + canvas.font_px;
    for (const auto& name : ends[i].name) {
      put_text(canvas, name, "strong name " + classes, {{boxes[i].left, y}});
      y += line_height(canvas);
    }
    const bool cut = text_width(line.value, canvas.font_px) > boxes[i].width;
    const auto value = cut ? line.value.substr(0, line.value.find(" (")) : line.value;
    if (ends[i].has_value) put_text(canvas, value, "value", {{boxes[i].left, y}});
  }
}

} // namespace ddlsim
