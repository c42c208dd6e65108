#include "calibrate/page/calibration_html.hpp"

#include "calibrate/fit/calibrate.hpp"
#include "sim/page/html_text.hpp"
#include "sim/page/page.hpp"
#include "sim/page/span_chart.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

std::string at_z(const CalibratedParameter& one, double z_score) {
  return value_text(prior_value(one.prior, z_score), one.prior.unit);
}

std::string learnt_words(const CalibratedParameter& one) {
  return fmt::format("{} ({}..{})", at_z(one, one.z_score), at_z(one, one.z_score - upper_95 * one.error),
                     at_z(one, one.z_score + upper_95 * one.error));
}

std::string expected_words(const CalibratedParameter& one) {
  return fmt::format("{} ({}..{})", at_z(one, 0), at_z(one, -upper_95), at_z(one, upper_95));
}

std::string parameter_chart(const std::vector<CalibratedParameter>& parameters) {
  constexpr double most = 4; // number of standard deviations of the prior
  SpanChart chart;
  chart.caption =
      "Learnt parameters against what was expected of them before: grey the 90 % of the prior, the line the "
      "90 % after the "
      "measurements, in standard deviations of each prior. What lies beyond 4 stands at the edge.";
  chart.from = -most;
  chart.to = most;
  for (const int z : {-4, -2, 0, 2, 4}) chart.ticks.emplace_back(z, z == 0 ? "prior" : fmt::format("{:+d}", z));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& one = parameters[i];
    if (!one.identified) continue;
    const auto name = fmt::format("{}, {}", one.name, scope_text(one.scope));
    chart.rows.push_back({name, one.z_score, one.z_score - upper_95 * one.error, one.z_score + upper_95 * one.error,
                          -upper_95, upper_95, at_z(one, one.z_score), i,
                          fmt::format("{}: expected {}, learnt {}", name, expected_words(one), learnt_words(one))});
  }
  return span_chart(chart);
}

std::string parameter_row(const CalibratedParameter& one, std::size_t number) {
  const auto points = one.borrowed_points > 0 ? fmt::format("{} ({} borrowed)", one.points, one.borrowed_points)
                                              : fmt::format("{}", one.points);
  return fmt::format("<tr id=\"p{}\">", number) + html_row_head(one.name) + html_cell(scope_text(one.scope), "t") +
         html_cell(expected_words(one)) + html_cell(learnt_words(one)) +
         html_cell(fmt::format("{:.0f} %", 100 * one.error)) + html_cell(one.identified ? "yes" : "no", "t") +
         html_cell(points) + "</tr>";
}

std::string parameter_table(const std::vector<CalibratedParameter>& parameters) {
  if (parameters.empty()) return "";
  std::vector<std::string> rows;
  for (const bool identified : {true, false})
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].identified == identified) rows.push_back(parameter_row(parameters[i], i));
  return html_table(
      "Every parameter; one that the measurements did not narrow stays at its prior, and what depends on it "
      "is assumed",
      {{"parameter", Align::left},
       {"holds for", Align::left},
       {"before (90 %)"},
       {"after (90 %)"},
       {"width left of the prior's"},
       {"identified", Align::left},
       {"points that depend on it"},
       {"prior shaped by", Align::left},
       {"source of the prior", Align::left}},
      rows);
}

std::string prior_table(const std::vector<CalibratedParameter>& parameters) {
  if (parameters.empty()) return "";
  std::vector<std::string> rows;
  for (const auto& one : parameters) {
    std::string shaped;
    for (const auto& site : one.prior.shaped_by) shaped += (shaped.empty() ? "" : ", ") + site;
    rows.push_back("<tr>" + html_row_head(one.name) + html_cell(scope_text(one.scope), "t") +
                   html_cell(expected_words(one)) + html_long_cell(one.prior.source) + html_long_cell(shaped) +
                   "</tr>");
  }
  return "<details><summary>Where the priors are from</summary>\n" +
         html_table("What was expected before, and of which sites it was learnt",
                    {{"parameter", Align::left},
                     {"holds for", Align::left},
                     {"prior (90 %)"},
                     {"source", Align::left},
                     {"shaped by", Align::left}},
                    rows) +
         "</details>\n";
}

std::string choices_table(const Calibration& calibration) {
  std::vector<std::string> rows;
  for (const auto& choice : calibration.choices)
    rows.push_back("<tr>" + html_row_head(choice.servers ? "tensors on servers" : "all-reduce") +
                   html_cell(scope_text(choice.scope), "t") + html_cell(choice.name, "t") + "</tr>");
  if (rows.empty()) return "";
  return html_table("Which algorithm the library runs: the likeliest, as the measurements tell",
                    {{"choice of", Align::left}, {"holds for", Align::left}, {"what", Align::left}}, rows);
}

} // namespace

std::vector<std::string> calibration_sentences(const Calibrated& calibrated) {
  const auto& calibration = calibrated.calibration;
  const auto& quality = calibration.quality;
  std::vector<std::string> sentences{
      fmt::format("{}: fitted to {} points of {} series; after the fit the model is {:.1f} % off in the mean.",
                  calibration.cluster, quality.points, calibration.series.size(), 100 * quality.fit_error)};
  if (quality.leave_one_out_points > 0)
    sentences.push_back(fmt::format("Each series predicted from all others is {:.1f} % off ({} points).",
                                    100 * quality.leave_one_out_error, quality.leave_one_out_points));
  if (quality.unmeasured_models > 0)
    sentences.push_back(fmt::format("Each of {} models predicted from the others is {:.1f} % off (root mean square).",
                                    quality.unmeasured_models, 100 * quality.unmeasured_model_error));
  const auto learnt = std::count_if(calibration.parameters.begin(), calibration.parameters.end(),
                                    [](const CalibratedParameter& one) { return one.identified; });
  sentences.push_back(fmt::format("{} of {} parameters were learnt; the others stay at their priors.", learnt,
                                  calibration.parameters.size()));
  const auto borrowed = std::count_if(calibration.series.begin(), calibration.series.end(),
                                      [](const CalibratedSeries& one) { return one.borrowed; });
  if (borrowed > 0) sentences.push_back(fmt::format("{} series are borrowed from other clusters.", borrowed));
  for (const auto& next : calibrated.next)
    sentences.push_back(fmt::format("Measure next: {}; {} is then known to +-{:.0f} % instead of +-{:.0f} %.", next.run,
                                    next.predicted, 100 * next.then, 100 * next.now));
  return sentences;
}

std::string calibration_html(const Calibrated& calibrated) {
  const auto& calibration = calibrated.calibration;
  std::string body = "<section class=\"answer\" aria-label=\"the answer\">\n";
  for (const auto& sentence : calibration_sentences(calibrated)) body += html_paragraph(sentence);
  body += "</section>\n<div class=\"charts\">\n" + parameter_chart(calibration.parameters) + "</div>\n";
  body += "<h2>Parameters</h2>\n" + parameter_table(calibration.parameters) + choices_table(calibration) +
          prior_table(calibration.parameters);
  body += "<h2>Evidence</h2>\n" + evidence_tables(calibration);
  body += html_raw_text("The report as the terminal shows it, with lines over batch and collectives",
                        calibration_summary(calibrated) + calibration_details(calibrated));
  return html_page("Calibration of " + calibration.cluster, body);
}

} // namespace ddlsim
