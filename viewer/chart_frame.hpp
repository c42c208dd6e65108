#pragma once
// What the steps of drawing one chart share: where its plot stands, and what has been drawn so far.

#include "viewer/chart_labels.hpp"

namespace ddlsim {

struct ChartCanvas {
  const Chart& chart;
  bool is_narrow = false;
  double width = 0;
  double height = 0;
  double left = 0; ///< edges of the plot, pixels from the left and the top
  double right = 0;
  double top = 0;
  double bottom = 0;
  double font_px = 12.5;
  Occupied occupied;
  std::string svg{};   ///< grid, lines and marks
  std::string texts{}; ///< labels, which stand above them
  std::string hits{};  ///< invisible circles with the readouts, above all else
};

/// Finds the edges of the plot, for the texts that stand around it.
ChartCanvas make_canvas(const Chart& chart, int width);

/// The class of a colour: c0 to c3; further lines share c1 to c3, so that c0 stays that of the recommended one.
std::string colour_class_of(int colour);

double x_px(const ChartCanvas& canvas, double x);
double y_px(const ChartCanvas& canvas, double y);

/// Writes a text at the first place that is free; false where there is none.
bool put_text(ChartCanvas& canvas, const std::string& text, const std::string& classes,
              const std::vector<PlacedText>& places);

// The steps, in their order.

void draw_axes(ChartCanvas& canvas);
void draw_rules(ChartCanvas& canvas); ///< also the box that they enclose
void draw_lines(ChartCanvas& canvas);
void draw_line_ends(ChartCanvas& canvas);
void draw_marks(ChartCanvas& canvas);
void draw_strip(ChartCanvas& canvas);
void label_rules(ChartCanvas& canvas);
void label_marks(ChartCanvas& canvas);

/// All steps. chart_svg() writes what it returns.
ChartCanvas drawn_chart(const Chart& chart, int width);

} // namespace ddlsim
