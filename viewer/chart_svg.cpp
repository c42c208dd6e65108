#include "sim/base/table.hpp"
#include "viewer/chart_frame.hpp"
#include "viewer/html_text.hpp"
#include "viewer/page_texts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

constexpr std::size_t most_y_ticks = 8;

/// Ticks of the x axis that have room beside each other.
std::vector<Tick> ticks_with_room(const ChartCanvas& canvas) {
  constexpr double gap_px = 14;
  for (std::size_t most = canvas.is_narrow ? 6 : 9; most > 2; --most) {
    const auto ticks = axis_ticks(canvas.chart.x, most);
    double widest = 0;
    for (const auto& tick : ticks) widest = std::max(widest, text_width(tick.text, canvas.font_px));
    bool fits = true;
    for (std::size_t i = 1; i < ticks.size(); ++i)
      fits = fits && x_px(canvas, ticks[i].value) - x_px(canvas, ticks[i - 1].value) >= widest + gap_px;
    if (fits) return ticks;
  }
  return axis_ticks(canvas.chart.x, 2);
}

double widest_tick(const Chart& chart, double font_px) {
  double widest = 0;
  for (const auto& tick : axis_ticks(chart.y, most_y_ticks)) widest = std::max(widest, text_width(tick.text, font_px));
  return widest;
}

std::string anchor_text(TextAnchor anchor) {
  return anchor == TextAnchor::start ? ""
         : anchor == TextAnchor::end ? " text-anchor=\"end\""
                                     : " text-anchor=\"middle\"";
}

/// A text where it must stand, whatever is there.
void write_text(ChartCanvas& canvas, const std::string& text, const std::string& classes, const PlacedText& place) {
  canvas.texts += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", classes, place.x, place.y,
                              anchor_text(place.anchor), html_escaped(text));
}

void draw_y_ticks(ChartCanvas& canvas) {
  const auto& chart = canvas.chart;
  const double middle = canvas.font_px / 3;
  const double widest = widest_tick(chart, canvas.font_px);
  for (const auto& tick : axis_ticks(chart.y, most_y_ticks)) {
    const double y = y_px(canvas, tick.value);
    canvas.svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", canvas.left, y, canvas.right);
    const auto name =
        chart.y.scale == AxisScale::names ? cut_in_the_middle(tick.text, canvas.is_narrow ? 18 : 34) : tick.text;
    put_text(canvas, name, "tick", {{canvas.left - 8, y + middle, TextAnchor::end}});
    if (chart.second_y <= 0) continue;
    const auto second = fmt::format("{:.0f} %", 100 * chart.second_y * tick.value);
    put_text(canvas, second, "tick soft", {{canvas.left - 20 - widest, y + middle, TextAnchor::end}});
  }
}

} // namespace

std::string colour_class_of(int colour) {
  constexpr int shared = 3;
  return fmt::format("c{}", colour <= shared ? colour : 1 + (colour - 1) % shared);
}

double x_px(const ChartCanvas& canvas, double x) {
  return canvas.left + share_of_axis(canvas.chart.x, x) * (canvas.right - canvas.left);
}

double y_px(const ChartCanvas& canvas, double y) {
  const double share = share_of_axis(canvas.chart.y, y);
  const bool downwards = canvas.chart.y.scale == AxisScale::names; // the first name is at the top
  return downwards ? canvas.top + share * (canvas.bottom - canvas.top)
                   : canvas.bottom - share * (canvas.bottom - canvas.top);
}

ChartCanvas make_canvas(const Chart& chart, int width) {
  const bool is_narrow = width < wide_chart / 2 + 100;
  ChartCanvas canvas{.chart = chart, .is_narrow = is_narrow, .occupied = {}};
  canvas.font_px = is_narrow ? 11 : 12.5;
  canvas.width = width;
  const bool has_names = chart.y.scale == AxisScale::names;
  constexpr double row_px = 26;
  constexpr double around_px = 84;
  const double usual_height = is_narrow ? 300 : 470;
  canvas.height = has_names ? static_cast<double>(chart.y.names.size()) * row_px + around_px : usual_height;
  double ticks = widest_tick(chart, canvas.font_px);
  if (has_names) { // as draw_y_ticks() cuts them
    ticks = 0;
    for (const auto& name : chart.y.names)
      ticks = std::max(ticks, text_width(cut_in_the_middle(name, is_narrow ? 18 : 34), canvas.font_px));
  }
  canvas.left = ticks + 14 + (chart.second_y > 0 ? text_width("40 %", canvas.font_px) + 14 : 0);
  canvas.right = width - (chart.lines.empty() ? 22 : is_narrow ? 92.0 : 186.0);
  canvas.top = is_narrow ? 34 : 40;
  canvas.bottom = canvas.height - (chart.strip ? 84 : 44);
  canvas.occupied.bounds = {0, 0, canvas.width, canvas.height};
  return canvas;
}

bool put_text(ChartCanvas& canvas, const std::string& text, const std::string& classes,
              const std::vector<PlacedText>& places) {
  const bool is_bold = classes.find("strong") != std::string::npos;
  const int found = take_place(canvas.occupied, text, canvas.font_px, is_bold, places);
  if (found < 0) return false;
  write_text(canvas, text, classes, places[static_cast<std::size_t>(found)]);
  return true;
}

void draw_axes(ChartCanvas& canvas) {
  const auto& chart = canvas.chart;
  draw_y_ticks(canvas);
  for (const auto& tick : ticks_with_room(canvas)) {
    const double x = x_px(canvas, tick.value);
    canvas.svg += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}v5\"/>\n", x, canvas.bottom);
    const double half = text_width(tick.text, canvas.font_px) / 2;
    const double inside = std::clamp(x, half, canvas.width - half);
    put_text(canvas, tick.text, "tick", {{inside, canvas.bottom + 19, TextAnchor::middle}});
  }
  canvas.svg +=
      fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", canvas.left, canvas.bottom, canvas.right);
  put_text(canvas, chart.x.title, "soft", {{canvas.left, canvas.bottom + 36}, {0, canvas.bottom + 36}});
  const double title_y = canvas.top - (canvas.is_narrow ? 22 : 26);
  if (chart.second_y > 0)
    put_text(canvas, chart.second_title + ", " + chart.y.title, "soft", {{0, title_y}});
  else
    put_text(canvas, chart.y.title, "soft", {{canvas.left, title_y}, {0, title_y}});
}

void draw_strip(ChartCanvas& canvas) {
  const auto& strip = canvas.chart.strip;
  if (!strip) return;
  const double y = canvas.bottom + 50;
  const double turn = x_px(canvas, strip->measured_to);
  if (turn > canvas.left)
    canvas.svg += fmt::format("<path class=\"measured\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", canvas.left, y, turn);
  if (turn < canvas.right)
    canvas.svg += fmt::format("<path class=\"computed\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", turn, y, canvas.right);
  if (turn > canvas.left) put_text(canvas, strip->measured, "soft", {{canvas.left, y + 17}});
  if (turn < canvas.right)
    put_text(canvas, strip->computed, "soft",
             {{canvas.right, y + 17, TextAnchor::end}, {canvas.width, y + 17, TextAnchor::end}, {canvas.left, y + 31}});
}

ChartCanvas drawn_chart(const Chart& chart, int width) {
  auto canvas = make_canvas(chart, width);
  draw_rules(canvas);
  draw_axes(canvas);
  draw_lines(canvas);
  draw_marks(canvas);
  draw_line_ends(canvas);
  label_rules(canvas);
  draw_strip(canvas);
  label_marks(canvas);
  return canvas;
}

std::string chart_svg(const Chart& chart, int width, const std::string& caption) {
  const auto canvas = drawn_chart(chart, width);
  const bool is_file = !caption.empty();
  const double head_px = is_file ? 46 : 0;
  const auto about = html_escaped(is_file ? caption + ": " + chart.title : chart.title);
  auto svg =
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart {0}\" width=\"{1:.0f}\" height=\"{2:.0f}\" "
                  "viewBox=\"0 0 {1:.0f} {2:.0f}\" role=\"img\" aria-label=\"{3}\"{4}>\n",
                  canvas.is_narrow ? "narrow" : "wide", canvas.width, canvas.height + head_px, about,
                  is_file ? "" : fmt::format(" data-top=\"{:.0f}\" data-bottom=\"{:.0f}\"", canvas.top, canvas.bottom));
  if (!is_file) return svg + canvas.svg + canvas.texts + canvas.hits + "</svg>\n";
  svg +=
      fmt::format("<title>{}</title>\n<style>\n{}</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n",
                  about, chart_style());
  svg += fmt::format(
      "<text class=\"strong\" x=\"8\" y=\"20\">{}</text>\n<text class=\"soft\" x=\"8\" y=\"38\">{}</text>\n",
      html_escaped(caption), html_escaped(chart.title));
  return svg +
         fmt::format("<g transform=\"translate(0 {:.0f})\">\n{}{}</g></svg>\n", head_px, canvas.svg, canvas.texts);
}

} // namespace ddlsim
