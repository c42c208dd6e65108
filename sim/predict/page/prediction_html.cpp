#include "sim/predict/page/prediction_html.hpp"

#include "sim/page/html_text.hpp"
#include "sim/page/page.hpp"
#include "sim/predict/prediction_sentences.hpp"
#include "sim/predict/report_memory.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

std::vector<DrawnCurve> drawn_curves(const PageScenario& scenario) {
  std::vector<DrawnCurve> curves;
  for (const auto& curve : scenario.curves) curves.push_back({&curve, "", "", scenario.efficiency_bound});
  return curves;
}

/// Sentences on the results of searches of degrees; "" without a search.
std::string layouts_found(const Prediction& prediction) {
  std::string text;
  for (const auto& answer : prediction.strategies)
    for (const auto& sentence : layout_sentences(answer)) text += html_paragraph(answer_name(answer) + ": " + sentence);
  return text.empty() ? "" : "<h2>The best layouts</h2>\n" + text;
}

std::string memory_peaks(const Prediction& prediction) {
  std::string text;
  for (const auto& answer : prediction.strategies)
    for (const auto& sentence : memory_sentences(answer)) text += html_paragraph(answer_name(answer) + ": " + sentence);
  return text.empty() ? "" : "<h2>Memory of a GPU</h2>\n" + text;
}

/// Sentences on the time that offload adds; "" without offload.
std::string offloads(const Prediction& prediction) {
  std::string text;
  for (const auto& answer : prediction.strategies)
    if (const auto sentence = offload_sentence(answer); !sentence.empty())
      text += html_paragraph(answer_name(answer) + ": " + sentence);
  return text.empty() ? "" : "<h2>State on the host</h2>\n" + text;
}

} // namespace

std::string prediction_html(const Prediction& prediction) {
  const auto scenario = page_scenario(prediction);
  const auto curves = drawn_curves(scenario);
  std::string body = "<section class=\"answer\" aria-label=\"the answer\">\n";
  for (const auto& sentence : prediction_sentences(prediction)) body += html_paragraph(sentence);
  body += "</section>\n" + warning_paragraphs(scenario.warnings) + curve_charts(curves) + comparison_table(curves);
  body += "<h2>Every point</h2>\n" + point_table(curves);
  body += memory_peaks(prediction) + offloads(prediction) + layouts_found(prediction);
  body += "<h2>Where the time goes</h2>\n" + parts_table(curves);
  body += "<h2>What the answer rests on</h2>\n";
  body += html_paragraph("One GPU without synchronisation: " + prediction.one_gpu.text + ".");
  body += html_paragraph(scenario.produced_by) + files_table(scenario.files);
  body += html_raw_text("The report as the terminal shows it, with every remark", scenario.text);
  return html_page("Predicted training speed: " + scenario.name, body);
}

} // namespace ddlsim
