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

/// Returns a line. `kind` is a class of the stylesheet: grid, zero, near, mean or reach.
std::string svg_line(double x1, double y1, double x2, double y2, const std::string& kind);

/// Returns a text. `anchor` is start, middle or end. `whole` is the text under the pointer, where `text` is shortened.
std::string svg_text(double x, double y, const std::string& anchor, const std::string& text,
                     const std::string& whole = "");

/// Returns a mark for table row "p<row>", in the shape and colour of the `style`-th series. Pointer and keyboard show
/// the row's values; without script they show the title.
std::string svg_mark(std::size_t style, double x, double y, std::size_t row, const std::string& title,
                     const std::string& classes = "");

/// Class names for the dash pattern and colour of the `style`-th series.
std::string svg_style_classes(std::size_t style);

/// Returns the sample beside a name in a legend: a piece of the series' line with its mark.
std::string svg_swatch(std::size_t style);

/// One entry of a legend. Its index is the style of its series.
struct LegendEntry {
  std::string name;
  std::string key{}; ///< the data-k attribute; "": the entry is always shown
};

/// Returns a <ul> that names the styles of the series.
std::string svg_legend(const std::vector<LegendEntry>& entries);

/// Returns the titles of both axes. That of x stands below its axis, that of y above.
std::string svg_titles(const Axis& x, const std::string& x_title, const Axis& y, const std::string& y_title);

/// Returns a text like svg_text() that can be read on top of lines and areas.
std::string svg_note(double x, double y, const std::string& anchor, const std::string& text);

/// Returns the <figure>; its caption says how to read it. `classes` of the drawing are "shrinks" when it can still be
/// read on a narrow screen, where it otherwise scrolls, and "many" when areas overlap.
std::string svg_figure(const std::string& caption, double height, const std::string& drawing,
                       const std::string& classes = "");

/// Returns log10 of the ticks 1, 2 and 5 of each decade between the ends, which are in log10 too. Over more than three
/// decades it returns 1 only.
std::vector<double> log_ticks(double from, double to);

/// Returns an axis in log10 that holds both values, which must be above 0. Its ends are ticks of 1, 2 or 5.
Axis log_axis(double low, double high);

/// Returns a figure as a tick shows it: "0.05", "800", "20k", "3M".
std::string tick_text(double value);

/// The ticks of an `axis` in log10, each with its value as text.
std::vector<Tick> log_tick_texts(const Axis& axis);

/// Returns grid lines at the ticks of both axes, and the texts of the ticks.
std::string svg_grid(const Axis& x, const std::vector<Tick>& x_ticks, const Axis& y, const std::vector<Tick>& y_ticks);

} // namespace ddlsim
