#include "viewer/chart_labels.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>

namespace ddlsim {

double text_width(const std::string& text, double size_px, bool is_bold) {
  constexpr std::string_view slim = " .,:;'|!()[]ijlIft-r/";
  constexpr double slim_em = 0.36;
  constexpr double wide_em = 0.9;
  constexpr double capital_em = 0.72;
  constexpr double usual_em = 0.59; // digits and small letters; DejaVu Sans, the widest usual font, has 0.61
  constexpr double bold = 1.08;
  double em = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue; // the rest of a character of UTF-8
    em += slim.find(c) != std::string_view::npos                        ? slim_em
          : std::string_view("mwMW%").find(c) != std::string_view::npos ? wide_em
          : c >= 'A' && c <= 'Z'                                        ? capital_em
                                                                        : usual_em;
  }
  return em * size_px * (is_bold ? bold : 1);
}

bool overlap(const TextBox& a, const TextBox& b) {
  return a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;
}

void spread_boxes(std::vector<TextBox>& boxes, double top, double bottom) {
  std::vector<TextBox*> order;
  for (auto& box : boxes) order.push_back(&box);
  std::stable_sort(order.begin(), order.end(), [](const TextBox* a, const TextBox* b) { return a->top < b->top; });
  double next = top;
  for (auto* box : order) {
    box->top = std::max(box->top, next);
    next = box->top + box->height;
  }
  double end = bottom;
  for (auto box = order.rbegin(); box != order.rend(); ++box) {
    (*box)->top = std::min((*box)->top, end - (*box)->height);
    end = (*box)->top;
  }
}

TextBox box_of(const std::string& text, double size_px, bool is_bold, const PlacedText& place) {
  constexpr double rise = 0.85; // of the letters above the base line, in the size of the font
  constexpr double height = 1.15;
  const double width = text_width(text, size_px, is_bold);
  const double left = place.anchor == TextAnchor::start ? place.x
                      : place.anchor == TextAnchor::end ? place.x - width
                                                        : place.x - width / 2;
  return {left, place.y - rise * size_px, width, height * size_px};
}

int take_place(Occupied& occupied, const std::string& text, double size_px, bool is_bold,
               const std::vector<PlacedText>& places) {
  int best = -1;
  std::ptrdiff_t least = 0;
  const auto& bounds = occupied.bounds;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto box = box_of(text, size_px, is_bold, places[i]);
    const auto meets = [&](const TextBox& other) { return overlap(box, other); };
    const bool inside = box.left >= bounds.left && box.left + box.width <= bounds.left + bounds.width &&
                        box.top >= bounds.top && box.top + box.height <= bounds.top + bounds.height;
    if (!inside || std::any_of(occupied.texts.begin(), occupied.texts.end(), meets)) continue;
    const auto crossed = std::count_if(occupied.lines.begin(), occupied.lines.end(), meets);
    if (best >= 0 && crossed >= least) continue;
    best = static_cast<int>(i);
    least = crossed;
  }
  if (best >= 0) occupied.texts.push_back(box_of(text, size_px, is_bold, places[static_cast<std::size_t>(best)]));
  return best;
}

void take_line(Occupied& occupied, double x1, double y1, double x2, double y2) {
  constexpr double step_px = 5;
  const double steps = std::ceil(std::max(std::abs(x2 - x1), std::abs(y2 - y1)) / step_px);
  for (double i = 0; i < steps; ++i)
    occupied.lines.push_back({x1 + (x2 - x1) * i / steps - 1, y1 + (y2 - y1) * i / steps - 1, 2, 2});
}

std::vector<std::string> wrapped_text(const std::string& text, double size_px, double width_px) {
  constexpr std::size_t most = 3;
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto longer = lines.empty() ? word : lines.back() + " " + word;
    if (!lines.empty() && text_width(longer, size_px, true) <= width_px)
      lines.back() = longer;
    else
      lines.push_back(word);
  }
  const bool is_cut = lines.size() > most;
  lines.resize(std::min(lines.size(), most));
  for (auto& line : lines) {
    const bool is_last_of_cut = is_cut && &line == &lines.back();
    bool cut = is_last_of_cut;
    while (line.size() > 1 && text_width(line + (cut ? "..." : ""), size_px, true) > width_px) {
      do line.pop_back();
      while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xC0U) == 0x80U);
      if (!line.empty() && (static_cast<unsigned char>(line.back()) & 0x80U) != 0) line.pop_back(); // its first byte
      cut = true;
    }
    if (cut) line += "...";
  }
  return lines;
}

} // namespace ddlsim
