#include "plan/page/plan_charts.hpp"

#include "plan/report.hpp"
#include "sim/base/units.hpp"
#include "sim/page/cross_chart.hpp"
#include "sim/page/span_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace ddlsim {
namespace {

constexpr double hour_s = 3600;

/// The quantity on the vertical axis: a figure of each option, 0 if it is not known.
struct UprightFigure {
  std::string title;
  std::function<Estimate(const PlannedOption&)> of;
  double limit = 0;
  std::string limit_text;
};

bool all_priced(const Plan& plan) {
  return std::any_of(plan.options.begin(), plan.options.end(),
                     [](const auto& option) { return option.usd.has_value(); });
}

bool any_power(const Plan& plan) {
  return std::any_of(plan.options.begin(), plan.options.end(), [](const auto& option) { return option.kwh.value > 0; });
}

UprightFigure upright_of(const Plan& plan) {
  const auto budget = plan.request.limits.budget_usd;
  if (all_priced(plan))
    return {"cost, USD", [](const PlannedOption& option) { return option.usd.value_or(Estimate{}); }, budget,
            budget > 0 ? "budget " + print_quantity(budget, Dimension::price) : ""};
  if (any_power(plan)) return {"energy, kWh", [](const PlannedOption& option) { return option.kwh; }, 0, ""};
  return {"nodes",
          [](const PlannedOption& option) {
            const auto nodes = static_cast<double>(option.nodes);
            return Estimate{nodes, nodes, 0, 0};
          },
          0, ""};
}

std::string option_name(const PlannedOption& option) {
  return fmt::format("{}, {} GPU{}{}", option.candidate, option.gpus, option.gpus == 1 ? "" : "s",
                     option.gpus == 1 ? "" : ", " + label_of(option.strategy));
}

std::string title_of(const Plan& plan, const PlannedOption& option) {
  const auto headers = option_headers(plan);
  const auto cells = option_cells(plan, option);
  std::string title = option_name(option);
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!headers[i].empty() && !cells[i].empty()) title += fmt::format(", {}: {}", headers[i], cells[i]);
  return title;
}

std::vector<std::string> candidates_of(const Plan& plan) {
  std::vector<std::string> names;
  for (const auto& option : plan.options)
    if (std::find(names.begin(), names.end(), option.candidate) == names.end()) names.push_back(option.candidate);
  return names;
}

} // namespace

std::string plan_cost_chart(const Plan& plan) {
  const auto upright = upright_of(plan);
  CrossChart chart;
  chart.x_title = "time of the whole training, h";
  chart.y_title = upright.title;
  chart.x_unit = hour_s;
  chart.x_limit = plan.request.limits.deadline_s;
  chart.x_limit_text = chart.x_limit > 0 ? "deadline " + print_quantity(chart.x_limit, Dimension::time) : "";
  chart.y_limit = upright.limit;
  chart.y_limit_text = upright.limit_text;
  chart.groups = candidates_of(plan);
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < plan.options.size(); ++i) {
    const auto& option = plan.options[i];
    const auto y = upright.of(option);
    const auto found = std::find(chart.groups.begin(), chart.groups.end(), option.candidate);
    left_out += y.value > 0 ? 0 : 1;
    if (y.value <= 0 || option.time_s.value <= 0) continue;
    const bool known = option.simulated;
    chart.marks.push_back({shown_figure(option.time_s), known ? option.time_s.low : 0, known ? option.time_s.high : 0,
                           shown_figure(y), known ? y.low : 0, known ? y.high : 0,
                           static_cast<std::size_t>(found - chart.groups.begin()), option.on_front, i,
                           title_of(plan, option)});
  }
  chart.caption = fmt::format(
      "Each option by {} over time, with 90 % intervals; hollow marks are timed by formula, with their likeliest "
      "figures alone. The dotted line joins the options that none beats in time, cost and energy together.{} A pointer "
      "on a mark, or the arrow keys in the chart, read an option's values.",
      upright.title,
      left_out > 0 ? fmt::format(" {} options without that figure are in the table only.", left_out) : "");
  return cross_chart(chart);
}

std::string plan_chance_chart(const Plan& plan) {
  constexpr std::size_t most = 20;
  const auto& limits = plan.request.limits;
  if (limits.deadline_s <= 0 && limits.budget_usd <= 0) return "";
  SpanChart chart;
  for (const int share : {0, 25, 50, 75, 100}) chart.ticks.emplace_back(share / 100.0, fmt::format("{} %", share));
  chart.bound = limits.chance;
  chart.has_bound = true;
  for (std::size_t i = 0; i < plan.options.size() && chart.rows.size() < most; ++i) {
    const auto& option = plan.options[i];
    if (!option.simulated) continue;
    chart.rows.push_back({option_name(option), option.chance, 0, option.chance, 0, 1,
                          fmt::format("{:.0f} %", 100 * option.chance), i, title_of(plan, option)});
  }
  chart.caption = fmt::format("Chance to keep deadline and budget, of the first {} simulated options; the line is the "
                              "chance asked for, {:.0f} %.",
                              chart.rows.size(), 100 * limits.chance);
  return span_chart(chart);
}

} // namespace ddlsim
