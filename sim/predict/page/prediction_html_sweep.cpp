#include "sim/page/html_text.hpp"
#include "sim/page/page.hpp"
#include "sim/predict/page/prediction_html.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

constexpr std::size_t most_at_first = 8; ///< number of curves that can be distinguished at a glance

std::vector<DrawnCurve> curves_of(const std::vector<SweepPart>& parts, const std::vector<PageChoice>& choices) {
  std::vector<DrawnCurve> curves;
  for (const auto& part : parts)
    for (const auto& curve : part.scenario.curves)
      curves.push_back({&curve, part.name, page_key(choices[curves.size()]), part.scenario.efficiency_bound});
  return curves;
}

/// The facts that distinguish the curves: the values that the command line varied, then the curve's own facts.
std::vector<std::vector<std::string>> facts_of(const std::vector<SweepPart>& parts) {
  std::vector<std::vector<std::string>> facts;
  for (const auto& part : parts) {
    for (const auto& curve : part.scenario.curves) {
      facts.push_back(part.values);
      facts.back().insert(facts.back().end(), curve.facts.begin(), curve.facts.end());
    }
  }
  return facts;
}

std::string failures(const std::vector<SweepPart>& parts) {
  std::vector<std::string> rows;
  for (const auto& part : parts)
    if (!part.error.empty()) rows.push_back("<tr>" + html_row_head(part.name) + html_long_cell(part.error) + "</tr>");
  if (rows.empty()) return "";
  return html_table("Scenarios without an answer", {{"scenario", Align::left}, {"why", Align::left}}, rows);
}

std::vector<std::string> all_warnings(const std::vector<SweepPart>& parts) {
  std::vector<std::string> warnings;
  for (const auto& part : parts)
    for (const auto& warning : part.scenario.warnings)
      if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
  return warnings;
}

std::string provenance(const std::vector<SweepPart>& parts) {
  std::vector<UsedFile> files;
  std::vector<std::string> texts;
  for (const auto& [name, values, scenario, error] : parts) {
    files.insert(files.end(), scenario.files.begin(), scenario.files.end());
    if (!scenario.produced_by.empty() && std::find(texts.begin(), texts.end(), scenario.produced_by) == texts.end())
      texts.push_back(scenario.produced_by);
  }
  std::string text;
  for (const auto& one : texts) text += html_paragraph(one);
  return text + files_table(files);
}

std::string overview(const std::vector<SweepPart>& parts, std::size_t curves, bool differ) {
  const auto failed =
      std::count_if(parts.begin(), parts.end(), [](const SweepPart& part) { return !part.error.empty(); });
  auto text = fmt::format("{} scenarios, {} without an answer; {} curves, one a strategy of a scenario.", parts.size(),
                          failed, curves);
  if (differ) text += " The controls choose which of them charts and tables show; the address keeps the choice.";
  return html_paragraph(text);
}

/// The point of a curve at one scale; null when it is impossible.
const PagePoint* point_at(const PageCurve& curve, int gpus) {
  const auto found = std::find_if(curve.points.begin(), curve.points.end(),
                                  [&](const PagePoint& point) { return point.gpus == gpus && point.error.empty(); });
  return found == curve.points.end() ? nullptr : &*found;
}

/// The curve with the largest figure at that scale, in a sentence.
std::string best_at(const std::vector<DrawnCurve>& curves, int gpus, const std::string& what, std::size_t cell,
                    PageInterval PagePoint::*figure) {
  const DrawnCurve* best = nullptr;
  double most = 0;
  for (const auto& shown : curves) {
    const auto* point = point_at(*shown.curve, gpus);
    if (point == nullptr || (point->*figure).value <= most) continue;
    most = (point->*figure).value;
    best = &shown;
  }
  if (best == nullptr) return "";
  return html_paragraph(fmt::format("{} at {} GPUs: {}, {}, with {}.", what, gpus, best->scenario, best->curve->name,
                                    point_at(*best->curve, gpus)->cells[cell]));
}

/// The best answers at the largest scale at which any curve is possible. Samples of different models are not compared.
std::string answers(const std::vector<DrawnCurve>& curves) {
  constexpr std::size_t rate_cell = 3, efficiency_cell = 4; // indices in point_headers()
  int gpus = 0;
  bool one_model = true;
  for (const auto& shown : curves) {
    one_model = one_model && shown.curve->facts.front() == curves.front().curve->facts.front();
    for (const auto& point : shown.curve->points)
      if (point.error.empty()) gpus = std::max(gpus, point.gpus);
  }
  return (one_model ? best_at(curves, gpus, "Most samples/s", rate_cell, &PagePoint::samples_per_s) : "") +
         best_at(curves, gpus, "Highest efficiency", efficiency_cell, &PagePoint::efficiency);
}

} // namespace

std::string sweep_html(const std::vector<std::string>& names, const std::vector<SweepPart>& parts) {
  auto headers = names;
  headers.insert(headers.end(), fact_headers().begin(), fact_headers().end());
  std::vector<PageChoice> choices;
  const auto dimensions = find_dimensions(headers, facts_of(parts), choices);
  const auto curves = curves_of(parts, choices);
  std::string body = "<section class=\"answer\" aria-label=\"the answer\">\n" +
                     overview(parts, curves.size(), !dimensions.empty()) + answers(curves) + "</section>\n" +
                     warning_paragraphs(all_warnings(parts));
  if (!curves.empty())
    body += page_controls(dimensions, choices, most_at_first) + curve_charts(curves) + comparison_table(curves);
  body += failures(parts);
  if (!curves.empty()) {
    body += "<h2>Every point</h2>\n" + point_table(curves);
    body += "<h2>Where the time goes</h2>\n" + parts_table(curves);
  }
  body += "<h2>What the answers rest on</h2>\n" + provenance(parts);
  for (const auto& part : parts)
    if (part.error.empty()) body += html_raw_text(part.name + " as the terminal shows it", part.scenario.text);
  return html_page("Predicted training speed, scenarios compared", body);
}

} // namespace ddlsim
