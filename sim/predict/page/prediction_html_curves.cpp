#include "sim/base/table.hpp"
#include "sim/page/html_text.hpp"
#include "sim/page/line_chart.hpp"
#include "sim/page/parts_bar.hpp"
#include "sim/predict/page/prediction_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace ddlsim {
namespace {

bool has_scenarios(const std::vector<DrawnCurve>& curves) {
  return !curves.empty() && !curves.front().scenario.empty();
}

std::string full_name(const DrawnCurve& shown) {
  return shown.scenario.empty() ? shown.curve->name : shown.scenario + ": " + shown.curve->name;
}

std::string title_of(const DrawnCurve& shown, const PagePoint& point) {
  std::string title = full_name(shown);
  for (std::size_t i = 0; i < point.cells.size(); ++i)
    if (!point.cells[i].empty()) title += fmt::format(", {}: {}", point_headers()[i], point.cells[i]);
  return title;
}

/// The curves of one figure. Rows are numbered over all points of all curves.
std::vector<ChartCurve> chart_curves(const std::vector<DrawnCurve>& curves,
                                     const std::function<PageInterval(const PagePoint&)>& figure) {
  std::vector<ChartCurve> drawn;
  std::size_t row = 0;
  for (const auto& shown : curves) {
    ChartCurve curve{full_name(shown), shown.key, {{}}};
    for (const auto& point : shown.curve->points) {
      if (point.error.empty()) {
        const auto [value, low, high] = figure(point);
        curve.runs.back().push_back({static_cast<double>(point.gpus), value, low, high, row, title_of(shown, point),
                                     value * point.measured_ratio});
      } else if (!curve.runs.back().empty()) {
        curve.runs.emplace_back();
      }
      ++row;
    }
    drawn.push_back(std::move(curve));
  }
  return drawn;
}

/// The bound of all curves; 0 when scenarios have different bounds.
double common_bound(const std::vector<DrawnCurve>& curves) {
  const double bound = curves.empty() ? 0 : curves.front().efficiency_bound;
  const bool common = std::all_of(curves.begin(), curves.end(),
                                  [&](const DrawnCurve& shown) { return shown.efficiency_bound == bound; });
  return common ? bound : 0;
}

std::string row_start(const DrawnCurve& shown, const std::string& id) {
  const auto key = shown.key.empty() ? "" : fmt::format(" data-k=\"{}\"", html_escaped(shown.key));
  return fmt::format("<tr{}{}>", id.empty() ? "" : fmt::format(" id=\"{}\"", id), key) +
         (shown.scenario.empty() ? "" : html_row_head(shown.scenario));
}

/// The strategy's cell. It is the head of the row where that has no scenario cell.
std::string strategy_cell(const DrawnCurve& shown) {
  return shown.scenario.empty() ? html_row_head(shown.curve->name) : html_cell(shown.curve->name, "t");
}

std::vector<Column> first_columns(const std::vector<DrawnCurve>& curves) {
  std::vector<Column> columns;
  if (has_scenarios(curves)) columns.push_back({"scenario", Align::left});
  columns.push_back({"strategy", Align::left});
  return columns;
}

constexpr std::size_t words_from = 5; ///< the cells of a point before this index are figures, and the others are words

/// The columns of point_headers() that are not empty for all points.
std::vector<std::size_t> filled_columns(const std::vector<DrawnCurve>& curves) {
  std::vector<std::size_t> filled;
  for (std::size_t i = 0; i < point_headers().size(); ++i) {
    const auto has_cell = [&](const PagePoint& point) { return i < point.cells.size() && !point.cells[i].empty(); };
    if (std::any_of(curves.begin(), curves.end(), [&](const DrawnCurve& shown) {
          return std::any_of(shown.curve->points.begin(), shown.curve->points.end(), has_cell);
        }))
      filled.push_back(i);
  }
  return filled;
}

std::string point_row(const DrawnCurve& shown, const PagePoint& point, std::size_t row,
                      const std::vector<std::size_t>& filled) {
  auto text = row_start(shown, fmt::format("p{}", row)) + strategy_cell(shown);
  std::size_t missing = 0;
  for (const auto i : filled) {
    missing += i < point.cells.size() ? 0 : 1;
    if (i < point.cells.size()) text += html_cell(point.cells[i], i < words_from ? "" : "t");
  }
  if (!point.error.empty())
    text += fmt::format("<td class=\"t\"{}>{}</td>", missing > 1 ? fmt::format(" colspan=\"{}\"", missing) : "",
                        html_escaped("cannot be: " + point.error));
  return text + "</tr>";
}

bool any_alone(const std::vector<DrawnCurve>& curves) {
  return std::any_of(curves.begin(), curves.end(), [](const DrawnCurve& shown) {
    const auto& points = shown.curve->points;
    return std::any_of(points.begin(), points.end(), [](const PagePoint& point) { return !point.alone.empty(); });
  });
}

std::string parts_row(const DrawnCurve& shown, const PagePoint& point, bool alone) {
  auto text = row_start(shown, "") + strategy_cell(shown) + html_cell(fmt::format("{}", point.gpus)) +
              parts_bar_cell(part_names(), point.parts_s);
  text += html_cell(seconds_text(std::accumulate(point.parts_s.begin(), point.parts_s.end(), 0.0)));
  for (const double part_s : point.parts_s) text += html_cell(short_seconds_text(part_s));
  return text + (alone ? html_cell(point.alone) : "") + "</tr>";
}

} // namespace

std::string curve_charts(const std::vector<DrawnCurve>& curves) {
  LineChart rates{
      "Samples a second of all GPUs together over the number of GPUs; the shaded area holds 90 %, an outline is what "
      "was measured there. A pointer "
      "on a mark, or the arrow keys in a chart, read a point's values.",
      "GPUs",
      "samples/s",
      CurveScale::logarithmic,
      0,
      "",
      chart_curves(curves, [](const PagePoint& point) { return point.samples_per_s; })};
  const double bound = common_bound(curves);
  LineChart efficiencies{"Efficiency: samples a second over GPUs times those of one GPU; the shaded area holds 90 %.",
                         "GPUs",
                         "efficiency",
                         CurveScale::share,
                         bound,
                         bound > 0 ? percent_text(bound) + ": the bound asked for" : "",
                         chart_curves(curves, [](const PagePoint& point) { return point.efficiency; })};
  return line_legend(rates.curves) + "<div class=\"charts\">\n" + line_chart(rates) + line_chart(efficiencies) +
         "</div>\n";
}

std::string comparison_table(const std::vector<DrawnCurve>& curves) {
  const std::set<std::string> figures{"GPUs", "samples/s (90 %)", "efficiency (90 %)", "efficient up to, GPUs (90 %)"};
  std::vector<Column> columns;
  if (has_scenarios(curves)) columns.push_back({"scenario", Align::left});
  for (const auto& header : comparison_headers())
    columns.push_back({header, figures.count(header) > 0 ? Align::right : Align::left});
  std::vector<std::string> rows;
  for (const auto& shown : curves) {
    auto row = row_start(shown, "");
    for (std::size_t i = 0; i < shown.curve->cells.size(); ++i) {
      const auto& cell = shown.curve->cells[i];
      if (i == 0 && shown.scenario.empty()) {
        row += html_row_head(cell);
      } else if (i + 1 == comparison_headers().size()) {
        row += html_long_cell(cell);
      } else {
        row += html_cell(cell, figures.count(comparison_headers()[i]) > 0 ? "" : "t");
      }
    }
    rows.push_back(row + "</tr>");
  }
  return html_table("Strategies and frameworks beside each other, each at the largest scale that can be", columns,
                    rows);
}

std::string point_table(const std::vector<DrawnCurve>& curves) {
  auto columns = first_columns(curves);
  const auto filled = filled_columns(curves);
  for (const auto i : filled) columns.push_back({point_headers()[i], i < words_from ? Align::right : Align::left});
  std::vector<std::string> rows;
  for (const auto& shown : curves)
    for (const auto& point : shown.curve->points) rows.push_back(point_row(shown, point, rows.size(), filled));
  return html_table("Every point; in brackets the bounds that hold 90 %, in the unit of the figure before them",
                    columns, rows);
}

std::string parts_table(const std::vector<DrawnCurve>& curves) {
  const bool alone = any_alone(curves);
  auto columns = first_columns(curves);
  columns.push_back({"GPUs"});
  columns.push_back({"parts", Align::left});
  columns.push_back({"iteration"});
  for (const auto& name : part_names()) columns.push_back({name});
  if (alone) columns.push_back({"without neighbours (90 %)"});
  std::vector<std::string> rows;
  for (const auto& shown : curves)
    for (const auto& point : shown.curve->points)
      if (point.error.empty()) rows.push_back(parts_row(shown, point, alone));
  if (rows.empty()) return "";
  return parts_legend(part_names()) + html_table("Where the time of an iteration goes", columns, rows);
}

std::string files_table(const std::vector<UsedFile>& files) {
  std::vector<std::string> rows;
  std::set<std::string> known;
  for (const auto& [name, fnv1a] : files)
    if (known.insert(name + fnv1a).second)
      rows.push_back("<tr>" + html_row_head(name) + html_cell(fnv1a, "t") + "</tr>");
  return html_table("Files that the answer depends on", {{"file", Align::left}, {"FNV-1a", Align::left}}, rows);
}

std::string warning_paragraphs(const std::vector<std::string>& warnings) {
  std::string text;
  for (const auto& warning : warnings)
    text += "<p class=\"warning\">" + html_escaped("Note: " + warning + ".") + "</p>\n";
  return text;
}

} // namespace ddlsim
