#pragma once
// The charts of all answers: what stands in one, and how it is drawn.

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

inline constexpr int wide_chart = 824;   ///< usual width in pixels, for screens of 1280 and paper
inline constexpr int narrow_chart = 358; ///< for telephones

enum class AxisScale { linear, logarithmic, names };

/// How the figures of an axis are written: "28.5k", "65,536", "80 %", "64 KiB".
enum class AxisUnit { number, count, percent, bytes };

struct ChartAxis {
  std::string title;
  AxisScale scale = AxisScale::linear;
  AxisUnit unit = AxisUnit::number;
  double low = 0;
  double high = 1;
  std::vector<std::string> names{}; ///< of an axis of names: the name at 0, 1, 2 and so on
};

struct ChartPoint {
  double x = 0;
  double y = 0;
  double low = 0; ///< ends of the 90 % interval of y
  double high = 0;
  std::string readout; ///< the point's values, which the pointer or the keys read
};

/// A line, which has its name and its last value at its end.
struct PictureLine {
  std::string name;
  std::string value{};     ///< "81 % (56 to 97 %)"
  int colour = 0;          ///< of four colours, each with a dash of its own; 0 is that of the recommended line
  bool has_band = false;   ///< whether it is drawn thick, with a band of its intervals
  bool is_verdict = false; ///< whether it is drawn in the colour of a bad verdict
  std::vector<ChartPoint> points{};
};

enum class Glyph { dot, ring, diamond, triangle };

/// A single point, perhaps with an interval: a bar from (x_low, y_low) to (x_high, y_high), which slants where both
/// figures rise together.
struct ChartMark {
  double x = 0;
  double y = 0;
  double x_low = 0; ///< without an interval equal to x_high, as y_low to y_high: no bar
  double x_high = 0;
  double y_low = 0;
  double y_high = 0;
  Glyph glyph = Glyph::dot;
  int colour = 0;            ///< as a line's; -1: that of text
  bool strong = true;        ///< false: drawn in grey, behind the others
  std::string letter{};      ///< a letter inside, which ties the mark to a table
  std::string label{};       ///< text beside it, left out where there is no room
  std::string short_label{}; ///< for a narrow chart
  std::string readout{};
};

/// A line across the chart: "you have 96", "budget 300k USD".
struct ChartRule {
  bool is_vertical = true;
  double at = 0;
  std::string text;
  std::string short_text; ///< for a narrow chart
  bool is_dashed = false;
};

/// The strip below the x axis: what was measured, and what is computed.
struct ChartStrip {
  double measured_to = 0; ///< end of the solid part, in the unit of x; below the axis: nothing was measured
  std::string measured;
  std::string computed;
};

struct Chart {
  std::string name;       ///< word on the button that shows it
  std::string title;      ///< what is drawn, and for a reader who cannot see it, the name of the picture
  std::string note{};     ///< how to read it, beside the title
  int width = wide_chart; ///< pixels of the wide drawing, for screens of 1280 and paper
  ChartAxis x;
  ChartAxis y;
  double second_y = 0; ///< factor of a second scale of the same height, in per cent; 0: none
  std::string second_title{};
  std::vector<PictureLine> lines{};
  std::string front{}; ///< what a dotted line through the marks of `front_marks` means; "": no such line
  std::vector<std::size_t> front_marks{};
  std::vector<ChartMark> marks{};
  std::vector<ChartRule> rules{};
  std::string box{};  ///< what it means to lie inside the rules; "": no box is drawn
  std::string band{}; ///< what the band means
  std::optional<ChartStrip> strip{};
};

/// Draws the chart as an <svg> element. With a caption it is a file of its own: with the style, a white ground, and caption
/// and title above.
std::string chart_svg(const Chart& chart, int width, const std::string& caption = "");

/// Sets the ends of an axis so that these values lie inside; a logarithmic one leaves out values that are not above 0.
void span_axis(ChartAxis& axis, const std::vector<double>& values);

// The parts of drawing, for tests.

struct Tick {
  double value = 0;
  std::string text;
};

/// Returns at most so many ticks with round figures between the ends of the axis.
std::vector<Tick> axis_ticks(const ChartAxis& axis, std::size_t most);

/// Returns where the value stands between the ends, as a share of the length; values outside stand at an end.
double share_of_axis(const ChartAxis& axis, double value);

/// The width of a text in pixels, a little more than most fonts need.
double text_width(const std::string& text, double size_px, bool is_bold = false);

struct TextBox {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};
bool overlap(const TextBox& a, const TextBox& b);

/// Moves boxes apart along y, as little as their order allows, and keeps them between the ends; they need room for all.
void spread_boxes(std::vector<TextBox>& boxes, double top, double bottom);

} // namespace ddlsim
