#include "viewer/page.hpp"

#include "sim/base/table.hpp"
#include "viewer/html_text.hpp"
#include "viewer/page_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace ddlsim {
namespace {

/// Puts texts in the place of the template's {{names}}, in one pass: a name inside such a text stays as it is.
std::string filled_template(const std::map<std::string, std::string>& texts) {
  const auto form = std::string(page_template());
  std::string page;
  std::size_t from = 0;
  for (auto at = form.find("{{"); at != std::string::npos; at = form.find("{{", from)) {
    const auto end = form.find("}}", at);
    page += form.substr(from, at - from) + texts.at(form.substr(at + 2, end - at - 2));
    from = end + 2;
  }
  return page + form.substr(from);
}

/// A percent sign, or a short unit, stays on the line of its number.
std::string unbroken(const std::string& text) {
  auto html = html_escaped(text);
  for (auto at = html.find(" %"); at != std::string::npos; at = html.find(" %", at)) html.replace(at, 1, "&#160;");
  for (auto at = html.find("+-"); at != std::string::npos; at = html.find("+-", at)) html.replace(at, 2, "&#177;");
  return html;
}

std::string paragraphs_html(const std::vector<std::string>& paragraphs) {
  std::string html;
  for (const auto& one : paragraphs) html += "<p>" + unbroken(one) + "</p>\n";
  return html;
}

std::string heading_html(const Picture& picture) {
  const auto at = picture.figure.empty() ? std::string::npos : picture.heading.find(picture.figure);
  if (at == std::string::npos) return unbroken(picture.heading);
  return fmt::format("{}<em{}>{}</em>{}", unbroken(picture.heading.substr(0, at)),
                     picture.is_bad ? " class=\"bad\"" : "", unbroken(picture.figure),
                     unbroken(picture.heading.substr(at + picture.figure.size())));
}

std::string verdict_html(const Picture& picture) {
  std::string sentences;
  for (const auto& one : picture.sentences) sentences += (sentences.empty() ? "" : " ") + unbroken(one);
  return fmt::format("<section class=\"verdict\" aria-label=\"verdict\">\n<h1>{}</h1>\n<p>{}</p>\n</section>\n",
                     heading_html(picture), sentences);
}

std::string chart_html(const Chart& chart, std::size_t number) {
  const auto note = chart.note.empty() ? "" : " <span>" + html_escaped(chart.note) + "</span>";
  return fmt::format("<figure class=\"view view{}\">\n<figcaption>{}{}</figcaption>\n{}{}</figure>\n", number,
                     html_escaped(chart.title), note, chart_svg(chart, chart.width), chart_svg(chart, narrow_chart));
}

std::string charts_html(const Picture& picture) {
  if (picture.charts.empty()) return "";
  std::string buttons;
  std::string charts;
  for (std::size_t i = 0; i < picture.charts.size(); ++i) {
    buttons += fmt::format("<input type=\"radio\" name=\"view\" id=\"view{0}\"{1}><label for=\"view{0}\">{2}</label>\n",
                           i, i == 0 ? " checked" : "", html_escaped(picture.charts[i].name));
    charts += chart_html(picture.charts[i], i);
  }
  if (picture.charts.size() == 1) buttons.clear();
  return fmt::format("<div class=\"charts\" role=\"group\" aria-label=\"charts\">\n{}{}</div>\n", buttons, charts);
}

std::string notes_html(const Picture& picture) {
  std::string html;
  for (const auto& note : picture.notes)
    html += fmt::format("<section class=\"panel {}\"><h2>{}</h2>\n{}</section>\n", note.kind, html_escaped(note.title),
                        paragraphs_html(note.paragraphs));
  return "<div class=\"beside\">\n" + html + "</div>\n";
}

std::string folded_html(const Picture& picture) {
  std::string html;
  for (const auto& note : picture.folded)
    if (!note.paragraphs.empty())
      html += fmt::format("<details class=\"{}\"><summary>{}</summary>\n{}</details>\n", note.kind,
                          html_escaped(note.title), paragraphs_html(note.paragraphs));
  return "<div class=\"folds\">\n" + html + "</div>\n";
}

} // namespace

std::string framed_page(const std::string& title, const std::string& shown) {
  return filled_template({{"title", html_escaped(title)},
                          {"style", std::string(page_style())},
                          {"chart_style", std::string(chart_style())},
                          {"answer", shown},
                          {"script", std::string(page_script())}});
}

std::string picture_svg(const Picture& picture) {
  if (picture.charts.empty()) return "";
  const auto& chart = picture.charts.front();
  const auto caption = picture.facts.empty() ? picture.title : picture.title + ", " + picture.facts;
  return chart_svg(chart, chart.width, caption);
}

std::vector<std::string> sentences_of(const std::string& text) {
  std::vector<std::string> sentences;
  std::size_t from = 0;
  for (auto at = text.find(". "); at != std::string::npos; at = text.find(". ", at + 1)) {
    const auto sentence = text.substr(from, at + 1 - from);
    const bool in_brackets =
        std::count(sentence.begin(), sentence.end(), '(') > std::count(sentence.begin(), sentence.end(), ')');
    if (in_brackets) continue;
    sentences.push_back(sentence);
    from = at + 2;
  }
  if (from < text.size()) sentences.push_back(text.substr(from));
  return sentences;
}

std::string after_label(const std::string& text) {
  const auto at = text.find(": ");
  auto rest = at == std::string::npos ? text : text.substr(at + 2);
  if (!rest.empty()) rest.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(rest.front())));
  return rest;
}

void set_verdict(Picture& picture, const std::string& verdict) {
  picture.sentences = sentences_of(verdict);
  if (picture.sentences.empty()) return;
  picture.heading = picture.sentences.front();
  picture.sentences.erase(picture.sentences.begin());
  const std::string interval = " (90 %: ";
  const auto open = picture.heading.find(interval);
  const auto close = open == std::string::npos ? open : picture.heading.find(')', open);
  if (close == std::string::npos) return;
  const auto from = open + interval.size();
  picture.sentences.insert(picture.sentences.begin(),
                           "90 % interval: " + picture.heading.substr(from, close - from) + ".");
  picture.heading.erase(open, close + 1 - open);
  const std::string about = " about ";
  if (const auto at = picture.heading.find(about); at < open)
    picture.figure = picture.heading.substr(at + about.size(), open - at - about.size());
}

std::string answer_html(const Picture& picture) {
  return fmt::format("<header class=\"what\"><p><b>{}</b> <span>{}</span></p></header>\n", html_escaped(picture.title),
                     html_escaped(picture.facts)) +
         fmt::format("<main data-row=\"{}\">\n", picture.shown_row) + verdict_html(picture) +
         (picture.charts.empty() || picture.charts.front().width == wide_chart ? "<div class=\"body\">\n"
                                                                               : "<div class=\"body even\">\n") +
         charts_html(picture) + notes_html(picture) + "</div>\n" + folded_html(picture) + "</main>\n" +
         "<script type=\"application/json\" class=\"answer\">" + json_in_script(picture.json) + "</script>\n";
}

std::string page_html(const Picture& picture) {
  return framed_page(picture.title, "<div id=\"shown\">\n" + answer_html(picture) + "</div>\n");
}

} // namespace ddlsim
