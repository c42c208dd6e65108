#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/plain_number.hpp"
#include "viewer/html_text.hpp"
#include "viewer/page.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ddlsim {
namespace {

nlohmann::json figure_json(const std::optional<PictureFigure>& figure) {
  if (!figure) return nullptr;
  return {{"what", figure->what}, {"value", figure->value}, {"low", figure->low}, {"high", figure->high}};
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// What the answers' figures are, where that is the same for all: "images/s on 96 GPUs".
std::string what_of_all(const Sweep& sweep) {
  std::string what;
  for (const auto& one : sweep.pictures) {
    if (!one.figure) continue;
    if (!what.empty() && what != one.figure->what) return "samples or tokens a second, on the GPUs at hand";
    what = one.figure->what;
  }
  return what;
}

Chart chart_of_all(const Sweep& sweep) {
  constexpr std::size_t most_rows = 60;
  Chart chart;
  chart.title = "All answers: " + what_of_all(sweep);
  chart.note = "by " + joined_names(sweep.names);
  if (sweep.pictures.size() > most_rows) chart.note += fmt::format("; the first {} answers", most_rows);
  chart.x = {"dot: the prediction; bar: its 90 % interval", AxisScale::linear};
  chart.y.scale = AxisScale::names;
  std::vector<double> ends{0};
  for (const auto& one : sweep.pictures) {
    if (!one.figure || chart.marks.size() == most_rows) continue;
    const auto& [what, value, low, high] = *one.figure;
    const auto row = static_cast<double>(chart.marks.size());
    chart.y.names.push_back(one.values.empty() ? one.name : joined_names(one.values));
    chart.marks.push_back(
        {.x = value,
         .y = row,
         .x_low = low,
         .x_high = high,
         .y_low = row,
         .y_high = row,
         .readout = fmt::format("{}: {} {} ({})", one.name, plain_number(value), what, plain_range(low, high))});
    ends.push_back(high);
  }
  span_axis(chart.x, ends);
  return chart;
}

/// What stands in the place of an answer that there is not.
std::string refused_html(const SweptPicture& one) {
  return fmt::format(
      "<header class=\"what\"><p><b>{}</b></p></header>\n<main data-row=\"0\"><section class=\"verdict\">"
      "<h1><em class=\"bad\">No answer</em></h1>\n<p>{}</p></section></main>\n",
      html_escaped(one.name), html_escaped(one.error));
}

std::string answer_of(const SweptPicture& one) {
  return one.error.empty() ? one.answer : refused_html(one);
}

std::string sweep_json(const Sweep& sweep) {
  nlohmann::json json{{"names", sweep.names}, {"answers", nlohmann::json::array()}};
  for (const auto& one : sweep.pictures)
    json["answers"].push_back(
        {{"name", one.name}, {"values", one.values}, {"figure", figure_json(one.figure)}, {"error", one.error}});
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string about(const Sweep& sweep) {
  return fmt::format("{} answers by {}", sweep.pictures.size(), joined_names(sweep.names));
}

} // namespace

std::string swept_part(const Picture& picture) {
  const nlohmann::json json{{"answer", answer_html(picture)}, {"figure", figure_json(picture.figure_at_hand)}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void read_swept_part(const std::string& text, SweptPicture& picture) {
  const auto json = parse_json(text, "an answer of the sweep");
  try {
    picture.answer = json.at("answer").get<std::string>();
    const auto& figure = json.at("figure");
    if (!figure.is_null())
      picture.figure = PictureFigure{figure.at("what"), figure.at("value"), figure.at("low"), figure.at("high")};
  } catch (const nlohmann::json::exception&) {
    throw UserError("an answer of the sweep", "", "is no part of a page");
  }
}

std::string sweep_svg(const Sweep& sweep) {
  const auto is_drawn = [](const auto& one) { return one.figure.has_value(); };
  if (std::none_of(sweep.pictures.begin(), sweep.pictures.end(), is_drawn)) return "";
  return chart_svg(chart_of_all(sweep), wide_chart, about(sweep));
}

std::string sweep_html(const Sweep& sweep) {
  const auto answered =
      std::find_if(sweep.pictures.begin(), sweep.pictures.end(), [](const auto& one) { return one.error.empty(); });
  const auto first = answered == sweep.pictures.end() ? sweep.pictures.begin() : answered;
  std::string body = fmt::format(
      "<nav class=\"pick\" id=\"pick\" aria-label=\"choice\"><b>{}</b></nav>\n<div id=\"shown\">\n{}</div>\n",
      html_escaped(about(sweep)), first == sweep.pictures.end() ? "" : answer_of(*first));
  const auto chart = chart_of_all(sweep);
  if (!chart.marks.empty())
    body += fmt::format("<section class=\"all\" aria-label=\"all answers\">\n<figure "
                        "class=\"view\">\n<figcaption>{} <span>{}</span></figcaption>\n{}{}</figure>\n</section>\n",
                        html_escaped(chart.title), html_escaped(chart.note), chart_svg(chart, wide_chart),
                        chart_svg(chart, narrow_chart));
  body += "<script type=\"application/json\" id=\"sweep\">" + json_in_script(sweep_json(sweep)) + "</script>\n";
  for (const auto& one : sweep.pictures) body += "<template class=\"swept\">\n" + answer_of(one) + "</template>\n";
  return framed_page(about(sweep), body);
}

} // namespace ddlsim
