#pragma once
// The page of an answer, for people: one file of HTML, with style, script and the answer's JSON inside, which needs no
// network. Its verdict and its charts stand there without the script, too.

#include "viewer/chart.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// A paragraph with a heading of its own beside the chart, or folded below it.
struct PageNote {
  std::string title;
  std::vector<std::string> paragraphs;
};

/// An answer as people look at it.
struct Picture {
  std::string title; ///< "resnet50_v1.5 on iris"
  std::string facts; ///< "nodes of 4 V100, 128 images a GPU, fp32"
  std::string heading; ///< the verdict
  std::string figure{}; ///< the part of the heading that is drawn in colour
  bool is_bad = false;  ///< whether that is the colour of a bad verdict
  std::vector<std::string> sentences{}; ///< below the heading
  std::vector<Chart> charts{};          ///< the main one first; buttons choose which one is shown, four at most
  std::vector<PageNote> notes{};        ///< beside the chart
  std::vector<PageNote> folded{};       ///< below
  std::string json;                     ///< as --json prints it
  std::size_t shown_row = 0; ///< of the JSON's list: the strategy or option that the verdict is about
};

/// Returns the whole page; the same picture gives the same bytes.
std::string page_html(const Picture& picture);

/// Returns the main chart as a file of SVG; "" without a chart.
std::string picture_svg(const Picture& picture);

/// Splits a text into sentences: each ends in a full stop before a space.
std::vector<std::string> sentences_of(const std::string& text);

/// Makes heading, figure and sentences of a verdict like "Your 8 GPUs train about 900 images/s (90 %: 800 to 1,000),
/// which is 93 % of perfect scaling. Growing pays.": the interval becomes a sentence of its own.
void set_verdict(Picture& picture, const std::string& verdict);

// A page of many answers, of which one is chosen.

/// One answer of a sweep: the values that were varied, in the order of their names, and the answer or why there is none.
struct SweptPicture {
  std::string name;
  std::vector<std::string> values;
  std::string answer; ///< answer_html()
  std::string error;  ///< "": there is an answer
};

/// The part of a page that one answer fills, with its JSON; one process can send it to another.
std::string answer_html(const Picture& picture);

std::string sweep_html(const std::vector<std::string>& names, const std::vector<SweptPicture>& pictures);

} // namespace ddlsim
