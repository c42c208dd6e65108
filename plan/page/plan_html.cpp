#include "plan/page/plan_html.hpp"

#include "plan/page/plan_charts.hpp"
#include "plan/report.hpp"
#include "sim/base/table.hpp"
#include "sim/base/units.hpp"
#include "sim/page/html_text.hpp"
#include "sim/page/page.hpp"
#include "sim/predict/report.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

constexpr std::size_t front_column = 0, candidate_column = 1, strategy_column = 2; ///< indices in option_headers()

std::string hours_text(const Estimate& time_s, bool simulated) {
  constexpr double hour_s = 3600;
  if (!simulated) return fmt::format("{:.4g} h", time_s.value / hour_s);
  return fmt::format("{:.4g} h, median {:.4g} ({:.4g}..{:.4g})", time_s.value / hour_s, time_s.median / hour_s,
                     time_s.low / hour_s, time_s.high / hour_s);
}

/// The columns for which the terminal's table has no room.
std::vector<Column> further_columns() {
  return {{"candidate", Align::left},
          {"strategy", Align::left},
          {"GPUs"},
          {"cluster", Align::left},
          {"samples a GPU"},
          {"samples an iteration"},
          {"epochs"},
          {"iterations"},
          {"spare nodes"},
          {"hours"},
          {"energy (90 %), kWh"},
          {"power of the room, kW"},
          {"goodput"},
          {"checkpoint every"},
          {"efficiency"},
          {"dominates", Align::left}};
}

std::string strategy_cell(const PlannedOption& option) {
  return option.gpus == 1 ? "-" : label_of(option.strategy);
}

std::string further_row(const PlannedOption& option) {
  constexpr double kilo = 1000;
  const std::string energy = option.kwh.value <= 0 ? "-"
                             : option.simulated    ? fmt::format("{:.4g} ({:.4g}..{:.4g})", shown_figure(option.kwh),
                                                                 option.kwh.low, option.kwh.high)
                                                   : fmt::format("{:.4g}", option.kwh.value);
  std::string cells = "<tr>" + html_row_head(option.candidate) + html_cell(strategy_cell(option), "t") +
                      html_cell(fmt::format("{}", option.gpus)) + html_cell(option.cluster, "t");
  for (const auto& cell :
       {fmt::format("{:g}", option.batch_per_gpu), fmt::format("{:g}", option.global_batch),
        fmt::format("{:.4g}", option.epochs), fmt::format("{:.6g}", option.iterations),
        fmt::format("{}", option.spare_nodes), hours_text(option.time_s, option.simulated), energy,
        option.room_power_w > 0 ? fmt::format("{:.4g}", option.room_power_w / kilo) : std::string("-"),
        percent_text(option.goodput),
        option.checkpoint_interval_s > 0 ? seconds_text(option.checkpoint_interval_s) : std::string("-"),
        percent_text(option.efficiency)})
    cells += html_cell(cell);
  return cells + html_cell(option.bottleneck, "t") + "</tr>";
}

std::string option_row(const Plan& plan, std::size_t number) {
  const auto& option = plan.options[number];
  auto cells = option_cells(plan, option);
  cells[front_column] = option.on_front ? "yes" : "";
  cells[candidate_column] = option.candidate; // the whole name, which the terminal cuts
  cells[strategy_column] = strategy_cell(option);
  auto row = fmt::format("<tr id=\"p{}\"{}>", number, number == 0 ? " class=\"sum\"" : "") +
             html_row_head(cells[candidate_column]);
  for (std::size_t i = strategy_column; i < cells.size(); ++i)
    row += html_cell(cells[i], i == strategy_column ? "t" : "");
  return row + html_cell(cells[front_column]) + "</tr>";
}

std::string options_table(const Plan& plan) {
  std::vector<Column> columns;
  const auto headers = option_headers(plan);
  for (std::size_t i = candidate_column; i < headers.size(); ++i)
    columns.push_back({headers[i], i <= strategy_column ? Align::left : Align::right});
  columns.push_back({"on the front"});
  std::vector<std::string> rows, further;
  for (std::size_t i = 0; i < plan.options.size(); ++i) {
    rows.push_back(option_row(plan, i));
    further.push_back(further_row(plan.options[i]));
  }
  return html_table("All options in the order of preference; on the front: none is better in time, cost and energy "
                    "together",
                    columns, rows) +
         html_table("What else is known of them, in the same order", further_columns(), further);
}

std::string refused_table(const Plan& plan) {
  if (plan.refused.empty()) return "";
  std::vector<std::string> rows;
  for (const auto& one : plan.refused)
    rows.push_back("<tr>" + html_row_head(one.candidate) + html_cell(one.strategy, "t") +
                   html_cell(fmt::format("{}", one.gpus)) + html_long_cell(one.why) + "</tr>");
  return fmt::format("<details><summary>{} refused options, and why</summary>\n", rows.size()) +
         html_table("Options that are impossible, or break a limit whatever the parameters are",
                    {{"candidate", Align::left}, {"strategy", Align::left}, {"GPUs"}, {"why", Align::left}}, rows) +
         "</details>\n";
}

std::string list_of(const std::vector<std::string>& lines) {
  std::string list = "<ul>\n";
  for (const auto& line : lines) list += "<li>" + html_escaped(line) + "</li>\n";
  return list + "</ul>\n";
}

} // namespace

std::string plan_html(const Plan& plan) {
  std::string body = "<section class=\"answer\" aria-label=\"the answer\">\n";
  for (const auto& sentence : plan_sentences(plan)) body += html_paragraph(sentence);
  body += "</section>\n";
  for (const auto& warning : plan.warnings)
    body += "<p class=\"warning\">" + html_escaped("Note: " + warning) + "</p>\n";
  body += "<div class=\"charts\">\n" + plan_cost_chart(plan) + plan_chance_chart(plan) + "</div>\n";
  body += "<h2>Options</h2>\n" + options_table(plan) + refused_table(plan);
  body += "<h2>Prices and power</h2>\n" + list_of(plan.prices);
  body += html_paragraph(fmt::format("ddlsim {}, SimGrid {}, seed {}, {} samples behind each chance and interval.",
                                     version(), simgrid_version(), plan.request.seed, plan.request.samples));
  body += html_raw_text("The report as the terminal shows it", to_terminal_text(plan));
  return html_page("What to buy or rent: " + plan.request.name, body);
}

} // namespace ddlsim
