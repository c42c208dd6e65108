#pragma once
// Parts of charts, as SVG inside HTML: axes, lines, text, marks, and a figure around them.

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

inline constexpr double chart_width = 640; ///< width of a drawing in its own units; the page scales it
inline constexpr double chart_height = 440;

/// Margins around the plot area, for ticks and titles.
inline constexpr double chart_left = 62, chart_right = 26, chart_top = 26, chart_bottom = 40;

/// Maps a value to a position along an axis.
struct Axis {
  double from = 0; ///< value at `start`
  double to = 1;
  double start = 0;
  double end = 1;
  double at(double value) const { return start + (end - start) * (value - from) / (to - from); }
};

/// A position on an axis with the text beside it.
struct Tick {
  double at = 0;
  std::string text;
};

/// `kind` is a class of the stylesheet: grid, zero, near, mean, reach.
std::string svg_line(double x1, double y1, double x2, double y2, const std::string& kind);

/// `anchor` is start, middle or end. `whole` is the text under the pointer, for a shortened `text`.
std::string svg_text(double x, double y, const std::string& anchor, const std::string& text,
                     const std::string& whole = "");

/// A mark for table row "p<row>", in the shape and colour of the `style`-th series. Pointer and keyboard show the row's
/// values; without script they show the title.
std::string svg_mark(std::size_t style, double x, double y, std::size_t row, const std::string& title,
                     const std::string& classes = "");

/// Class names for the dash pattern and colour of the `style`-th series.
std::string svg_style_classes(std::size_t style);

/// The sample beside a name in a legend: a piece of the series' line with its mark.
std::string svg_swatch(std::size_t style);

/// One entry of a legend; its index is its style.
struct LegendEntry {
  std::string name;
  std::string key{}; ///< data-k; "": always shown
};

/// Returns a <ul> that names the styles of the series.
std::string svg_legend(const std::vector<LegendEntry>& entries);

/// The titles of both axes: of x below it, of y above it.
std::string svg_titles(const Axis& x, const std::string& x_title, const Axis& y, const std::string& y_title);

/// A text like svg_text() that stays readable on top of lines and areas.
std::string svg_note(double x, double y, const std::string& anchor, const std::string& text);

/// Returns the <figure>; its caption says how to read it. `classes` of the drawing: "shrinks" when it stays readable
/// scaled down to a narrow screen, where it otherwise scrolls; "many" when areas overlap.
std::string svg_figure(const std::string& caption, double height, const std::string& drawing,
                       const std::string& classes = "");

/// Returns the ticks 1, 2 and 5 of each decade between the ends (only 1 over more than three decades); everything in
/// log10.
std::vector<double> log_ticks(double from, double to);

/// Returns an axis in log10 that holds both values, which must be above 0, and whose ends are ticks of 1, 2 or 5.
Axis log_axis(double low, double high);

/// Writes a figure for a tick: "0.05", "800", "20k", "3M".
std::string tick_text(double value);

/// The ticks of an `axis` in log10, each with its value as text.
std::vector<Tick> log_tick_texts(const Axis& axis);

/// Grid lines at the ticks of both axes, with the ticks' texts.
std::string svg_grid(const Axis& x, const std::vector<Tick>& x_ticks, const Axis& y, const std::vector<Tick>& y_ticks);

} // namespace ddlsim
