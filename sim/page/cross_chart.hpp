#pragma once
// Options as marks between two figures, with 90 % intervals of both.

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// One option. All figures are above 0.
struct CrossMark {
  double x = 0;
  double x_low = 0; ///< 0: without an interval
  double x_high = 0;
  double y = 0;
  double y_low = 0;
  double y_high = 0;
  std::size_t group = 0; ///< of the names below: colour and shape
  bool on_front = false; ///< joined by a line with the others of the front
  std::size_t row = 0;   ///< of the table row that has its values, "p<row>"
  std::string title;     ///< what a pointer on it reads without script
};

struct CrossChart {
  std::string caption; ///< says how to read it
  std::string x_title;
  std::string y_title;
  double x_unit = 1;  ///< of the texts beside the axis, in the unit of x
  double x_limit = 0; ///< a line upright at this value; 0: none
  double y_limit = 0;
  std::string x_limit_text;
  std::string y_limit_text;
  std::vector<std::string> groups;
  std::vector<CrossMark> marks;
};

/// Legend and <figure>, both axes logarithmic; marks without an interval are hollow. "" without marks.
std::string cross_chart(const CrossChart& chart);

} // namespace ddlsim
