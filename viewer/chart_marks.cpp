#include "viewer/chart_frame.hpp"
#include "viewer/html_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace ddlsim {
namespace {

std::string colour_class(const ChartMark& mark) {
  if (!mark.strong) return "grey";
  return mark.colour < 0 ? "ink" : mark.glyph == Glyph::triangle ? "bad" : colour_class_of(mark.colour);
}

double radius_of(const ChartMark& mark) {
  if (!mark.letter.empty()) return 10;
  return mark.glyph == Glyph::dot || mark.glyph == Glyph::ring ? 4.5 : 6;
}

std::string glyph_svg(const ChartMark& mark, double x, double y) {
  const auto classes = colour_class(mark);
  const double r = radius_of(mark);
  switch (mark.glyph) {
  case Glyph::dot:
    return fmt::format("<circle class=\"dot {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n", classes, x, y, r);
  case Glyph::ring:
    return fmt::format("<circle class=\"ring {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n", classes, x, y, r);
  case Glyph::diamond:
    return fmt::format("<path class=\"ring {0}\" d=\"M{1:.1f} {2:.1f}l{3} {3}l-{3} {3}l-{3} -{3}Z\"/>\n", classes, x,
                       y - r, r);
  case Glyph::triangle:
    break;
  }
  return fmt::format("<path class=\"dot {0}\" d=\"M{1:.1f} {2:.1f}h{3}l-{4} {5}Z\"/>\n", classes, x - r, y - r * 0.8,
                     2 * r, r, 1.7 * r);
}

void draw_bar(ChartCanvas& canvas, const ChartMark& mark) {
  if (mark.x_low == mark.x_high && mark.y_low == mark.y_high) return;
  const double x1 = x_px(canvas, mark.x_low);
  const double y1 = y_px(canvas, mark.y_low);
  const double x2 = x_px(canvas, mark.x_high);
  const double y2 = y_px(canvas, mark.y_high);
  canvas.svg +=
      fmt::format("<path class=\"bar {}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", colour_class(mark), x1, y1, x2, y2);
  take_line(canvas.occupied, x1, y1, x2, y2);
}

void draw_front(ChartCanvas& canvas) {
  std::string path;
  for (const auto index : canvas.chart.front_marks) {
    const auto& mark = canvas.chart.marks[index];
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', x_px(canvas, mark.x), y_px(canvas, mark.y));
  }
  if (canvas.chart.front_marks.size() > 1) canvas.svg += fmt::format("<path class=\"front\" d=\"{}\"/>\n", path);
}

/// Texts that stand at the top, above a vertical rule, in a second row where the first is taken.
std::vector<PlacedText> above(const ChartCanvas& canvas, double x) {
  const double row = canvas.top - 6;
  std::vector<PlacedText> places;
  for (const double y : {row, row - canvas.font_px - 2})
    for (const auto anchor : {TextAnchor::middle, TextAnchor::end, TextAnchor::start}) places.push_back({x, y, anchor});
  return places;
}

} // namespace

void draw_rules(ChartCanvas& canvas) {
  const auto& rules = canvas.chart.rules;
  if (!canvas.chart.box.empty()) {
    double right = canvas.right;
    double top = canvas.top;
    for (const auto& rule : rules)
      (rule.is_vertical ? right : top) = rule.is_vertical ? x_px(canvas, rule.at) : y_px(canvas, rule.at);
    canvas.svg += fmt::format("<rect class=\"box\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                              canvas.left, top, right - canvas.left, canvas.bottom - top);
  }
  for (const auto& rule : rules) {
    const char* classes = rule.is_dashed ? "rule dashed" : "rule";
    if (rule.is_vertical) {
      const double x = x_px(canvas, rule.at);
      canvas.svg +=
          fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", classes, x, canvas.top, canvas.bottom);
      take_line(canvas.occupied, x, canvas.top, x, canvas.bottom);
    } else
      canvas.svg += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", classes, canvas.left,
                                y_px(canvas, rule.at), canvas.right);
  }
}

void label_rules(ChartCanvas& canvas) {
  for (const auto& rule : canvas.chart.rules) {
    const auto& text = canvas.is_narrow ? rule.short_text : rule.text;
    const double y = y_px(canvas, rule.at);
    if (rule.is_vertical)
      put_text(canvas, text, "strong", above(canvas, x_px(canvas, rule.at)));
    else
      put_text(canvas, text, "soft",
               {{canvas.left + 6, y - 5},
                {canvas.right - 6, y - 5, TextAnchor::end},
                {canvas.left + 6, y + 15},
                {(canvas.left + canvas.right) / 2, y + 15, TextAnchor::middle},
                {canvas.right - 6, y + 15, TextAnchor::end}});
  }
  if (!canvas.chart.box.empty())
    put_text(canvas, canvas.chart.box, "good",
             {{canvas.left + 6, canvas.bottom - 7}, {canvas.left + 6, canvas.bottom - 22}});
}

void draw_marks(ChartCanvas& canvas) {
  draw_front(canvas);
  std::set<std::pair<long, long>> drawn; // of marks on the same pixel one is enough
  for (const bool strong : {false, true})
    for (const auto& mark : canvas.chart.marks)
      if (mark.strong == strong) draw_bar(canvas, mark);
  const auto& marks = canvas.chart.marks;
  for (const bool strong : {false, true})
    for (auto at = marks.rbegin(); at != marks.rend(); ++at) { // the first one above the others
      const auto& mark = *at;
      if (mark.strong != strong) continue;
      const double x = x_px(canvas, mark.x);
      const double y = y_px(canvas, mark.y);
      const bool is_plain = mark.letter.empty() && mark.label.empty();
      if (is_plain && !drawn.emplace(std::lround(x), std::lround(y)).second) continue;
      canvas.svg += glyph_svg(mark, x, y);
      const double r = radius_of(mark);
      canvas.occupied.lines.push_back({x - r, y - r, 2 * r, 2 * r});
      if (!mark.letter.empty())
        canvas.svg += fmt::format(
            "<text class=\"letter {} {}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
            mark.glyph == Glyph::dot ? "inside" : "strong", colour_class(mark), x, y + 4.2, html_escaped(mark.letter));
      if (!mark.readout.empty())
        canvas.hits +=
            fmt::format("<circle class=\"hit\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"10\"><title>{}</title></circle>\n", x, y,
                        html_escaped(mark.readout));
    }
}

void label_marks(ChartCanvas& canvas) {
  const auto& chart = canvas.chart;
  for (const auto& mark : chart.marks) {
    const auto& label = canvas.is_narrow ? mark.short_label : mark.label;
    if (label.empty()) continue;
    const double x = x_px(canvas, mark.x);
    const double y = y_px(canvas, mark.y);
    const double away = radius_of(mark) + 5;
    const double middle = canvas.font_px / 3;
    std::vector<PlacedText> places{
        {x, y + away + 11, TextAnchor::middle}, {x - away, y + middle, TextAnchor::end},   {x + away, y + middle},
        {x, y - away, TextAnchor::middle},      {x - away, y + away + 9, TextAnchor::end}, {x + away, y - away}};
    for (const double step : {26.0, 44.0})
      for (const double side : {1.0, -1.0}) {
        places.push_back({x, y + side * (step + 8), TextAnchor::middle});
        places.push_back({x - away, y + side * step, TextAnchor::end});
        places.push_back({x + away, y + side * step});
      }
    put_text(canvas, label, "strong halo " + colour_class(mark), places);
  }
  if (chart.band.empty()) return;
  for (const auto& line : chart.lines) {
    if (!line.has_band || line.points.size() < 2) continue;
    std::vector<PlacedText> places;
    for (const double share : {0.6, 0.5, 0.7, 0.4, 0.3, 0.8}) {
      const auto& point = line.points[static_cast<std::size_t>(share * static_cast<double>(line.points.size() - 1))];
      const double x = x_px(canvas, point.x);
      for (const double y : {y_px(canvas, point.high) + 16, y_px(canvas, point.low) - 7, y_px(canvas, point.high) - 6,
                             y_px(canvas, point.low) + 15})
        places.push_back({x, y, TextAnchor::middle});
    }
    put_text(canvas, chart.band, "c0 halo", places);
  }
}

} // namespace ddlsim
