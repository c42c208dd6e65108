#include "sim/page/svg.hpp"

#include "sim/page/html_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace ddlsim {
namespace {

/// numbers of colours and dash patterns in the stylesheet; with five shapes 60 styles differ
constexpr std::size_t colours = 6, dashes = 4;

/// Circle, square, triangle, diamond, cross: outlines around the origin.
constexpr std::array<const char*, 5> shapes{"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "M-3.5 -3.5h7v7h-7z",
                                            "M0 -4.8L4.5 3.4h-9z", "M0 -5L5 0L0 5L-5 0z",
                                            "M-1.4 -4.4h2.8v3h3v2.8h-3v3h-2.8v-3h-3v-2.8h3z"};

constexpr std::array<double, 3> thirds{1, 2, 5};

} // namespace

std::string svg_line(double x1, double y1, double x2, double y2, const std::string& kind) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind, x1, y1, x2,
                     y2);
}

std::string svg_text(double x, double y, const std::string& anchor, const std::string& text, const std::string& whole) {
  const auto title = whole.empty() || whole == text ? "" : fmt::format("<title>{}</title>", html_escaped(whole));
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}{}</text>\n", x, y, anchor, title,
                     html_escaped(text));
}

std::string svg_style_classes(std::size_t style) {
  return fmt::format("k{} d{}", style % colours, style % dashes);
}

std::string svg_mark(std::size_t style, double x, double y, std::size_t row, const std::string& title,
                     const std::string& classes) {
  return fmt::format("<path class=\"dot k{}{}\" data-p=\"{}\" tabindex=\"0\" transform=\"translate({:.1f} {:.1f})\" "
                     "d=\"{}\"><title>{}</title></path>\n",
                     style % colours, classes.empty() ? "" : " " + classes, row, x, y, shapes[style % shapes.size()],
                     html_escaped(title));
}

std::string svg_swatch(std::size_t style) {
  return fmt::format("<svg class=\"swatch\" aria-hidden=\"true\" viewBox=\"0 0 40 12\"><path class=\"curve {}\" "
                     "d=\"M0 6h40\"/><path class=\"dot k{}\" transform=\"translate(20 6)\" d=\"{}\"/></svg>",
                     svg_style_classes(style), style % colours, shapes[style % shapes.size()]);
}

std::string svg_legend(const std::vector<LegendEntry>& entries) {
  std::string items;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto key = entries[i].key.empty() ? "" : fmt::format(" data-k=\"{}\"", html_escaped(entries[i].key));
    items += fmt::format("<li{}>{} {}</li>\n", key, svg_swatch(i), html_escaped(entries[i].name));
  }
  return "<ul class=\"legend\">\n" + items + "</ul>\n";
}

std::string svg_titles(const Axis& x, const std::string& x_title, const Axis& y, const std::string& y_title) {
  constexpr double below = 32, above = 10;
  return svg_text((x.start + x.end) / 2, y.start + below, "middle", x_title) +
         svg_text(x.start, y.end - above, "start", y_title);
}

std::string svg_note(double x, double y, const std::string& anchor, const std::string& text) {
  return fmt::format("<text class=\"note\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     html_escaped(text));
}

std::string svg_figure(const std::string& caption, double height, const std::string& drawing,
                       const std::string& classes) {
  return fmt::format(
      "<figure>\n<svg class=\"points{4}\" role=\"group\" tabindex=\"0\" aria-label=\"{0}\" viewBox=\"0 0 {1:.0f} "
      "{2:.0f}\">\n{3}</svg>\n<figcaption>{0}</figcaption>\n</figure>\n",
      html_escaped(caption), chart_width, height, drawing, classes.empty() ? "" : " " + classes);
}

std::vector<double> log_ticks(double from, double to) {
  std::vector<double> ticks;
  const bool wide = to - from > 3;
  constexpr double hair = 1e-9; // relative distance at which an end counts as equal to a tick
  for (double decade = std::floor(from + hair); decade <= to + hair; ++decade) {
    for (const double times : thirds) {
      const double tick = decade + std::log10(times);
      if (tick >= from - hair && tick <= to + hair && (times == 1 || !wide)) ticks.push_back(tick);
    }
  }
  return ticks;
}

Axis log_axis(double low, double high) {
  const double decade = std::floor(std::log10(low));
  Axis axis{decade, decade, 0, 1};
  for (const double times : thirds)
    if (decade + std::log10(times) <= std::log10(low)) axis.from = decade + std::log10(times);
  while (axis.to <= axis.from || axis.to < std::log10(high)) {
    const double step = axis.to - std::floor(axis.to + 1e-9);
    const double next = step < 0.1 ? 2 : step < 0.5 ? 5 : 10; // the step after 1, 2 or 5
    axis.to = std::floor(axis.to + 1e-9) + std::log10(next);
  }
  return axis;
}

std::string tick_text(double value) {
  if (value >= 1e6) return fmt::format("{:.4g}M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:.4g}k", value / 1e3);
  return fmt::format("{:.4g}", value);
}

std::vector<Tick> log_tick_texts(const Axis& axis) {
  std::vector<Tick> ticks;
  for (const double at : log_ticks(axis.from, axis.to)) ticks.push_back({at, tick_text(std::pow(10, at))});
  return ticks;
}

std::string svg_grid(const Axis& x, const std::vector<Tick>& x_ticks, const Axis& y, const std::vector<Tick>& y_ticks) {
  constexpr double below = 15, beside = 5, half_letter = 4;
  std::string grid;
  for (const auto& [at, text] : x_ticks)
    grid += svg_line(x.at(at), y.start, x.at(at), y.end, "grid") + svg_text(x.at(at), y.start + below, "middle", text);
  for (const auto& [at, text] : y_ticks)
    grid += svg_line(x.start, y.at(at), x.end, y.at(at), "grid") +
            svg_text(x.start - beside, y.at(at) + half_letter, "end", text);
  return grid;
}

} // namespace ddlsim
