#pragma once
// Where the texts of a chart stand: none overlaps another, and none leaves the chart.

#include "viewer/chart.hpp"

#include <string>
#include <vector>

namespace ddlsim {

enum class TextAnchor { start, middle, end };

struct PlacedText {
  double x = 0; ///< of the anchor
  double y = 0; ///< of the base line
  TextAnchor anchor = TextAnchor::start;
};

/// What is drawn already: texts, which no other may touch, and lines, which texts had better not cross.
struct Occupied {
  TextBox bounds;
  std::vector<TextBox> texts{};
  std::vector<TextBox> lines{};
};

TextBox box_of(const std::string& text, double size_px, bool is_bold, const PlacedText& place);

/// Returns the first of the places where the text is inside, meets no text and crosses least lines, and takes it; -1
/// where there is none.
int take_place(Occupied& occupied, const std::string& text, double size_px, bool is_bold,
               const std::vector<PlacedText>& places);

/// Marks the line from one point to the next as occupied.
void take_line(Occupied& occupied, double x1, double y1, double x2, double y2);

/// Breaks a name into lines of at most so many pixels, three at most; what is longer ends in an ellipsis.
std::vector<std::string> wrapped_text(const std::string& text, double size_px, double width_px);

} // namespace ddlsim
