#include "calibrate/fit/calibrate.hpp"
#include "calibrate/page/calibration_html.hpp"
#include "sim/page/html_text.hpp"
#include "sim/predict/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

std::string series_row(const CalibratedSeries& series) {
  double sum = 0, worst = 0;
  int most_gpus = 0, excluded = 0;
  for (const auto& point : series.points) {
    sum += std::abs(point.residual);
    worst = std::max(worst, std::abs(point.residual));
    most_gpus = std::max(most_gpus, point.gpus);
    excluded += point.excluded ? 1 : 0;
  }
  const bool any = !series.points.empty();
  return "<tr>" + html_row_head(series.id) + html_cell(series.strategy, "t") +
         html_cell(scope_text(series.scope), "t") + html_cell(series.borrowed ? "borrowed" : "own", "t") +
         html_cell(fmt::format("{}", series.points.size())) + html_cell(fmt::format("{}", excluded)) +
         html_cell(any ? fmt::format("{}", most_gpus) : "-") +
         html_cell(any ? html_percent(sum / static_cast<double>(series.points.size())) : "-") +
         html_cell(any ? html_percent(worst) : "-") + "</tr>";
}

std::string series_table(const Calibration& calibration) {
  if (calibration.series.empty()) return "";
  std::vector<std::string> rows;
  for (const auto& series : calibration.series) rows.push_back(series_row(series));
  return html_table("Series behind the fit, and how far the fitted model is off: |ln(measured / model)|",
                    {{"series", Align::left},
                     {"strategy", Align::left},
                     {"holds for", Align::left},
                     {"measured where", Align::left},
                     {"points"},
                     {"excluded"},
                     {"most GPUs"},
                     {"mean, %"},
                     {"worst, %"}},
                    rows);
}

std::string excluded_table(const Calibration& calibration) {
  if (calibration.excluded.empty()) return "";
  std::vector<std::string> rows;
  for (const auto& one : calibration.excluded)
    rows.push_back("<tr>" + html_row_head(one.what) + html_long_cell(one.why) + "</tr>");
  return fmt::format("<details><summary>{} excluded or contradictory, and why</summary>\n", rows.size()) +
         html_table("Evidence not used, or that contradicts itself", {{"what", Align::left}, {"why", Align::left}},
                    rows) +
         "</details>\n";
}

std::string files_list(const Calibration& calibration) {
  std::string list;
  for (const auto& file : calibration.files) list += "<li>" + html_escaped(file) + "</li>\n";
  const auto made_by = html_paragraph(fmt::format("ddlsim {}, SimGrid {}.", version(), simgrid_version()));
  return list.empty() ? made_by : made_by + "<p>Files with their checksums (FNV-1a):</p>\n<ul>\n" + list + "</ul>\n";
}

} // namespace

std::string evidence_tables(const Calibration& calibration) {
  return series_table(calibration) + excluded_table(calibration) + files_list(calibration);
}

} // namespace ddlsim
