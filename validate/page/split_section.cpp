#include "validate/page/split_section.hpp"

#include "sim/base/table.hpp"
#include "sim/page/html_text.hpp"
#include "validate/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

namespace ddlsim {
namespace {

StrategyName strategy_name(const ScoredPoint& point) {
  return strategy_name_in(point.strategy).value_or(StrategyName::none);
}

/// Sharded strategies have the colour of all-reduces: they use the same links in the same way.
StrategyName family_of(const ScoredPoint& point) {
  const auto name = strategy_name(point);
  return is_parameter_server(name) ? name : StrategyName::all_reduce;
}

using TextOfPoint = std::function<std::string(const ScoredPoint&)>;

std::vector<ChartPoint> chart_points(const ValidationResult& result, const std::string& split,
                                     const std::string& method, const TextOfPoint& group) {
  std::vector<ChartPoint> points;
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const auto& point = result.points[i];
    const auto found = point.forecasts.find(method);
    if (point.split != split || found == point.forecasts.end()) continue;
    const double predicted_s = found->second.predicted_s;
    points.push_back({i, point.measured_s, predicted_s, point.gpus, family_of(point), point.grade == 'C',
                      fmt::format("{}, {} GPUs: measured {}, predicted {}, off by {} %", point.series, point.gpus,
                                  seconds_text(point.measured_s), seconds_text(predicted_s),
                                  html_off(predicted_s, point.measured_s)),
                      group(point)});
  }
  return points;
}

std::string charts(const ValidationResult& result, const std::string& split, const std::string& method) {
  const auto by = [&](const TextOfPoint& group) { return chart_points(result, split, method, group); };
  const auto by_source = by([](const ScoredPoint& p) { return p.cluster + " / " + p.file; });
  const auto by_strategy = by([](const ScoredPoint& p) { return to_text(strategy_name(p)) + " by " + p.preset; });
  if (by_source.empty()) return "<p>" + html_escaped(method) + " answers no point of this split.</p>\n";
  const std::string key =
      "Blue: all-reduce and sharded, orange: parameter server, green: asynchronous server; hollow: noise class C.";
  const std::string beyond = " Dashed marks at the edge lie beyond it.";
  return "<div class=\"charts\">\n" +
         scatter_chart(by_source, fmt::format("{}: iteration time predicted by {} over measured. On the line is right, "
                                              "dashed lines are 10 % off. {}",
                                              split, method, key)) +
         scale_chart(by_source,
                     fmt::format("{}: how far {} is off, by number of GPUs; above 0 is predicted too slow.{}", split,
                                 method, beyond)) +
         strip_chart(by_strategy, fmt::format("{}: how far {} is off, by strategy and stack; the bar is the mean, the "
                                              "figure the mean size of the error.{}",
                                              split, method, beyond)) +
         strip_chart(by_source,
                     fmt::format("{}: how far {} is off, by source (cluster / file).{}", split, method, beyond)) +
         "</div>\n";
}

std::vector<const SplitScore*> scores_of(const ValidationResult& result, const std::string& split) {
  std::vector<const SplitScore*> scores;
  for (const auto& score : result.scores)
    if (score.split == split) scores.push_back(&score);
  return scores;
}

using PartOf = std::function<const Score*(const SplitScore&)>;

std::string score_row(const std::string& title, const std::vector<const SplitScore*>& scores, const PartOf& part,
                      const std::string& row_class) {
  std::vector<const Score*> cells;
  for (const auto* score : scores) cells.push_back(part(*score));
  return fmt::format("<tr{}>{}{}</tr>", row_class, html_row_head(title), html_error_cells(cells));
}

std::string score_table(const std::vector<const SplitScore*>& scores, const std::string& split) {
  std::vector<Column> columns{{"cluster", Align::left}, {"points"}};
  std::set<std::string> clusters;
  for (const auto* score : scores) {
    columns.push_back({score->method});
    for (const auto& [cluster, one] : score->by_cluster) clusters.insert(cluster);
  }
  std::vector<std::string> rows;
  for (const auto& cluster : clusters) {
    rows.push_back(score_row(
        cluster, scores,
        [&](const SplitScore& s) {
          const auto found = s.by_cluster.find(cluster);
          return found == s.by_cluster.end() ? nullptr : &found->second;
        },
        ""));
  }
  const std::string sum = " class=\"sum\"";
  rows.push_back(score_row(
      "mean of clusters", scores, [](const SplitScore& s) { return &s.overall; }, sum));
  rows.push_back(score_row(
      "classes A and B only", scores, [](const SplitScore& s) { return &s.classes_a_b; }, sum));
  return html_table(split + ": mean error by cluster, %; * where not every point was answered", columns, rows);
}

/// The parts of the largest target as one bar. A negative residual appears in its text only.
std::string parts_bar(const ForecastParts& parts) {
  constexpr double length = 160;
  const std::array<std::pair<const char*, double>, 6> all{{{"compute", parts.compute_s},
                                                           {"communication", parts.communication_s},
                                                           {"synchronisation", parts.synchronisation_s},
                                                           {"straggling", parts.straggling_s},
                                                           {"input", parts.input_s},
                                                           {"unexplained", parts.unexplained_s}}};
  const double whole_s = parts.predicted_s + std::max(0.0, -parts.unexplained_s);
  std::string bar, words;
  double x = 0;
  int number = 0;
  for (const auto& [name, part_s] : all) {
    ++number;
    const double share = std::max(0.0, part_s / whole_s);
    words += fmt::format("{}{} {:.0f} %", words.empty() ? "" : ", ", name, 100 * part_s / parts.predicted_s);
    bar += fmt::format("<rect class=\"q{}\" x=\"{:.1f}\" y=\"0\" width=\"{:.1f}\" height=\"12\"/>", number, x,
                       length * share);
    x += length * share;
  }
  return fmt::format("<td class=\"t\"><svg class=\"parts\" style=\"width:160px\" role=\"img\" aria-label=\"{0}\" "
                     "viewBox=\"0 0 160 12\"><title>{0}</title>{1}</svg></td>",
                     words, bar);
}

std::string explained_row(const ExplainedSeries& one) {
  const auto& parts = one.why.points.back();
  auto row = "<tr>" + html_row_head(one.series) + html_cell(html_percent(one.mean_error)) +
             html_cell(explanation_text(one.why.explanation), "t") + html_cell(parts.bottleneck, "t") +
             parts_bar(parts) + html_cell(fmt::format("{}", parts.gpus)) + html_cell(seconds_text(parts.measured_s)) +
             html_cell(seconds_text(parts.predicted_s));
  for (const double part_s : {parts.compute_s, parts.communication_s, parts.synchronisation_s, parts.straggling_s,
                              parts.input_s, parts.unexplained_s})
    row += html_cell(seconds_text(part_s));
  return row + "</tr>";
}

std::string explained_table(const ValidationResult& result, const std::string& split) {
  std::vector<std::string> rows;
  for (const auto& one : result.explained)
    if (one.split == split && !one.why.points.empty()) rows.push_back(explained_row(one));
  if (rows.empty()) return "";
  return html_table(fmt::format("{}: series more than {:.0f} % off; the median prediction of their largest scale taken "
                                "apart, and the one parameter that would mend them most",
                                split, 100 * explained_error),
                    {{"series", Align::left},
                     {"mean error, %"},
                     {"what would have to differ", Align::left},
                     {"dominates", Align::left},
                     {"parts", Align::left},
                     {"GPUs"},
                     {"measured"},
                     {"predicted"},
                     {"compute"},
                     {"communication"},
                     {"synchronisation"},
                     {"straggling"},
                     {"input"},
                     {"unexplained"}},
                    rows);
}

std::string point_row(std::size_t id, const ScoredPoint& point, const std::string& method) {
  auto row = fmt::format("<tr id=\"p{}\">", id) + html_row_head(point.series) + html_cell(point.strategy, "t") +
             html_cell(point.preset, "t") + html_cell(fmt::format("{}", point.gpus)) +
             html_cell(fmt::format("{}", point.nodes)) + html_cell(std::string(1, point.grade)) +
             html_cell(seconds_text(point.measured_s));
  const auto found = point.forecasts.find(method);
  if (found == point.forecasts.end()) {
    row += html_cell("-") + html_cell("-") + html_cell("-");
  } else {
    const auto& forecast = found->second;
    row += html_cell(seconds_text(forecast.predicted_s)) +
           html_cell(forecast.low_s > 0
                         ? fmt::format("{} .. {}", seconds_text(forecast.low_s), seconds_text(forecast.high_s))
                         : "-") +
           html_cell(html_off(forecast.predicted_s, point.measured_s));
  }
  return row + html_cell(point.left_out, "t") + "</tr>";
}

std::string point_table(const ValidationResult& result, const std::string& split, const std::string& method) {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < result.points.size(); ++i)
    if (result.points[i].split == split) rows.push_back(point_row(i, result.points[i], method));
  if (rows.empty()) return "";
  return fmt::format("<details><summary>All {} points of {}</summary>\n", rows.size(), html_escaped(split)) +
         html_table(fmt::format("{}: every point, and what {} says of it", split, method),
                    {{"series", Align::left},
                     {"strategy", Align::left},
                     {"stack", Align::left},
                     {"GPUs"},
                     {"nodes"},
                     {"noise class"},
                     {"measured"},
                     {"predicted"},
                     {"90 %"},
                     {"off, %"},
                     {"left out", Align::left}},
                    rows) +
         "</details>\n";
}

} // namespace

std::string html_split_id(const std::string& split) {
  return "split-" + split;
}

std::string html_error_cells(const std::vector<const Score*>& scores) {
  int points = 0;
  for (const auto* score : scores)
    if (score != nullptr) points = std::max(points, score->points);
  double least = 0;
  bool known = false;
  for (const auto* score : scores) {
    if (score == nullptr || score->points == 0) continue;
    least = known ? std::min(least, score->mean_error) : score->mean_error;
    known = true;
  }
  auto cells = html_cell(fmt::format("{}", points));
  for (const auto* score : scores) {
    const bool answered = score != nullptr && score->points > 0;
    cells += answered ? html_cell(html_percent(score->mean_error) + (score->points < points ? "*" : ""),
                                  score->mean_error <= least ? "best" : "")
                      : html_cell("-");
  }
  return cells;
}

std::string html_split(const ValidationResult& result, const std::string& split, const std::string& method) {
  const auto points = point_table(result, split, method);
  if (points.empty()) return "";
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", html_escaped(html_split_id(split)),
                     html_escaped(split_title(split))) +
         score_table(scores_of(result, split), split) + charts(result, split, method) + explained_table(result, split) +
         points + "</section>\n";
}

} // namespace ddlsim
