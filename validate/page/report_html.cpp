#include "validate/page/report_html.hpp"

#include "sim/page/html_text.hpp"
#include "sim/page/page.hpp"
#include "validate/page/split_section.hpp"
#include "validate/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ddlsim {
namespace {

/// The method that the charts show: the reference, or else the first one with an answer.
std::string charted_method(const ValidationResult& result) {
  const auto answers = [&](const std::string& method) {
    return std::any_of(result.points.begin(), result.points.end(),
                       [&](const ScoredPoint& point) { return point.forecasts.count(method) != 0; });
  };
  if (answers(result.reference)) return result.reference;
  const auto found = std::find_if(result.methods.begin(), result.methods.end(), answers);
  return found == result.methods.end() ? result.reference : *found;
}

bool has_points(const ValidationResult& result, const std::string& split) {
  return std::any_of(result.points.begin(), result.points.end(),
                     [&](const ScoredPoint& point) { return point.split == split; });
}

std::string navigation(const ValidationResult& result) {
  std::string links;
  for (const auto& split : split_names()) {
    if (has_points(result, split))
      links += fmt::format("<a href=\"#{}\">{}</a>\n", html_escaped(html_split_id(split)), html_escaped(split));
  }
  return "<nav aria-label=\"splits\">\n" + links + "</nav>\n";
}

std::string overview(const ValidationResult& result) {
  std::vector<Column> columns{{"split", Align::left}, {"points"}};
  std::vector<std::string> rows;
  for (const auto& method : result.methods) columns.push_back({method});
  for (const auto& split : split_names()) {
    if (!has_points(result, split)) continue;
    std::vector<const Score*> scores;
    for (const auto& score : result.scores)
      if (score.split == split) scores.push_back(&score.overall);
    rows.push_back("<tr>" + html_row_head(split) + html_error_cells(scores) + "</tr>");
  }
  return html_table(
      "Mean error over clusters, %: |ln(predicted / measured)| of the iteration time, averaged over points "
      "of a series, series of a cluster, clusters; * where not every point was answered",
      columns, rows);
}

std::string range_cell(const std::optional<Range>& range) {
  return html_cell(range ? html_percent(range->low) + " to " + html_percent(range->high) : "too few sites");
}

/// Coverage and width of the method's 90 % intervals, by split.
std::string intervals(const ValidationResult& result, const std::string& method) {
  std::vector<std::string> rows;
  for (const auto& score : result.scores) {
    if (score.method != method || score.overall.points_with_interval == 0) continue;
    const auto& one = score.overall;
    rows.push_back("<tr>" + html_row_head(score.split) + html_cell(html_percent(one.mean_error)) +
                   range_cell(one.mean_error_range) + html_cell(html_percent(one.coverage)) +
                   range_cell(one.coverage_range) + html_cell(html_percent(one.half_width)) +
                   html_cell(html_percent(one.interval_score)) + html_cell(html_percent(one.median_error)) +
                   html_cell(html_percent(one.worst_error)) + "</tr>");
  }
  if (rows.empty()) return "";
  return html_table(method + ": mean error, 90 % intervals, single points",
                    {{"split", Align::left},
                     {"mean error, %"},
                     {"90 % of resampled sites"},
                     {"covered, %"},
                     {"90 % of resampled sites"},
                     {"half-width, %"},
                     {"interval score x 100"},
                     {"median point, %"},
                     {"worst point, %"}},
                    rows);
}

std::size_t series_with_points(const ValidationResult& result) {
  std::set<std::string> series;
  for (const auto& point : result.points) series.insert(point.series);
  return series.size();
}

} // namespace

std::string validation_html(const ValidationResult& result) {
  const auto method = charted_method(result);
  std::string body = fmt::format("<p>{} points of {} series, none of them shown to the method that predicts it. Charts "
                                 "and points are of {}. A pointer on a mark, or the arrow keys in a chart, read a "
                                 "point's values; the same point is then marked in every chart.</p>\n",
                                 result.points.size(), series_with_points(result), html_escaped(method));
  body += navigation(result);
  if (result.points.empty()) {
    body += "<p>There is nothing to predict.</p>\n";
  } else {
    body += overview(result) + intervals(result, method);
  }
  for (const auto& split : split_names()) body += html_split(result, split, method);
  return html_page("Predicted against measured", body);
}

} // namespace ddlsim
