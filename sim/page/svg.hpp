#pragma once
// Pieces that charts are drawn from, as SVG inside HTML: axes, lines, text, marks, a figure around them.

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

inline constexpr double chart_width = 640; ///< of a drawing, in its own units; the page scales it
inline constexpr double chart_height = 440;

/// Room around the plane of a chart for ticks and titles.
inline constexpr double chart_left = 62, chart_right = 26, chart_top = 26, chart_bottom = 40;

/// A value's place along an axis.
struct Axis {
  double from = 0; ///< value at `start`
  double to = 1;
  double start = 0;
  double end = 1;
  double at(double value) const { return start + (end - start) * (value - from) / (to - from); }
};

/// A value on an axis with what is written beside it.
struct Tick {
  double at = 0;
  std::string text;
};

/// `kind`: a class of the stylesheet: grid, zero, near, mean, reach.
std::string svg_line(double x1, double y1, double x2, double y2, const std::string& kind);

/// `anchor`: start, middle or end. `whole` is read under a pointer, where `text` is not all of it.
std::string svg_text(double x, double y, const std::string& anchor, const std::string& text,
                     const std::string& whole = "");

/// A mark that stands for table row "p<row>": its shape and colour are those of the `style`-th series. A pointer or the
/// keyboard reads the row; without script they read the title.
std::string svg_mark(std::size_t style, double x, double y, std::size_t row, const std::string& title,
                     const std::string& classes = "");

/// The dash pattern and colour of the `style`-th series, as classes.
std::string svg_style_classes(std::size_t style);

/// What a legend shows beside a name: a piece of the series' line with its mark.
std::string svg_swatch(std::size_t style);

/// One entry of a legend: its place is its style.
struct LegendEntry {
  std::string name;
  std::string key{}; ///< data-k; "": always shown
};

/// <ul> that names the styles of the series.
std::string svg_legend(const std::vector<LegendEntry>& entries);

/// Titles below the axis across and above the upright one.
std::string svg_titles(const Axis& x, const std::string& x_title, const Axis& y, const std::string& y_title);

/// The same over lines and areas, which it stays readable on.
std::string svg_note(double x, double y, const std::string& anchor, const std::string& text);

/// <figure> with a caption that says how to read it. `classes` of the drawing: "shrinks" where it stays readable on a
/// narrow screen, else it scrolls there; "many" where areas lie over each other.
std::string svg_figure(const std::string& caption, double height, const std::string& drawing,
                       const std::string& classes = "");

/// Decades and their thirds (1, 2, 5) between the ends, in log10.
std::vector<double> log_ticks(double from, double to);

/// An axis in log10 whose ends are ticks of 1, 2, 5 and hold both values, which are above 0.
Axis log_axis(double low, double high);

/// "0.05", "800", "20k", "3M": a figure beside a tick.
std::string tick_text(double value);

/// Ticks of `axis` in log10, each with its value in words.
std::vector<Tick> log_tick_texts(const Axis& axis);

/// Lines across at the ticks of the upright axis, and along at those of the other, with their texts.
std::string svg_grid(const Axis& x, const std::vector<Tick>& x_ticks, const Axis& y, const std::vector<Tick>& y_ticks);

} // namespace ddlsim
