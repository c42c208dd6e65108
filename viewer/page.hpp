#pragma once
// The page of an answer, for people: one file of HTML, with style, script and the answer's JSON inside, which needs no
// network. Its verdict and its charts stand there without the script, too.

#include "viewer/chart.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// A paragraph with a heading of its own beside the chart, or folded below it.
struct PageNote {
  std::string kind; ///< a word by which the script finds it
  std::string title;
  std::vector<std::string> paragraphs;
};

/// A figure with its 90 % interval.
struct PictureFigure {
  std::string what; ///< "images/s on 96 GPUs"
  double value = 0;
  double low = 0;
  double high = 0;
};

/// An answer as people look at it.
struct Picture {
  std::string title;                    ///< "resnet50_v1.5 on iris"
  std::string facts;                    ///< "nodes of 4 V100, 128 images a GPU, fp32"
  std::string heading;                  ///< the verdict
  std::string figure{};                 ///< the part of the heading that is drawn in colour
  bool is_bad = false;                  ///< whether that is the colour of a bad verdict
  std::vector<std::string> sentences{}; ///< below the heading
  std::vector<Chart> charts{};          ///< the main one first; buttons choose which one is shown, four at most
  std::vector<PageNote> notes{};        ///< beside the chart
  std::vector<PageNote> folded{};       ///< below
  std::string json;                     ///< as --json prints it
  std::optional<PictureFigure> figure_at_hand{}; ///< of a sweep's answer, for the chart of all
  std::size_t shown_row = 0; ///< of the JSON's list: the strategy or option that the verdict is about
};

/// Returns the whole page; the same picture gives the same bytes.
std::string page_html(const Picture& picture);

/// Returns the main chart as a file of SVG; "" without a chart.
std::string picture_svg(const Picture& picture);

/// Splits a text into sentences: each ends in a full stop before a space.
std::vector<std::string> sentences_of(const std::string& text);

/// Returns what follows the label of a sentence, with a capital: "How sure: runs here" -> "Runs here".
std::string after_label(const std::string& text);

/// Makes heading, figure and sentences of a verdict like "Your 8 GPUs train about 900 images/s (90 %: 800 to 1,000),
/// which is 93 % of perfect scaling. Growing pays.": the interval becomes a sentence of its own.
void set_verdict(Picture& picture, const std::string& verdict);

// A page of many answers, of which one is chosen.

/// One answer of a sweep: the values that were varied, in the order of their names, and the answer or why there is none.
struct SweptPicture {
  std::string name;
  std::vector<std::string> values;
  std::string answer; ///< the part of the page that this answer fills
  std::optional<PictureFigure> figure{};
  std::string error; ///< "": there is an answer
};

struct Sweep {
  std::vector<std::string> names; ///< of what was varied
  std::vector<SweptPicture> pictures;
};

/// Writes what the page of a sweep shows of one answer, as a text that one process sends to another; read_swept_part()
/// puts it into the picture, and throws UserError for any other text.
std::string swept_part(const Picture& picture);
void read_swept_part(const std::string& text, SweptPicture& picture);

/// A page with controls for what was varied, of which each choice shows its own verdict and charts at once.
std::string sweep_html(const Sweep& sweep);

/// The chart of all answers, with a row for each, as a file of SVG.
std::string sweep_svg(const Sweep& sweep);

/// The frame of a page around what it shows, which must be well-formed.
std::string framed_page(const std::string& title, const std::string& shown);

/// The part of a page that one answer fills, with its JSON.
std::string answer_html(const Picture& picture);

} // namespace ddlsim
