// The table of choices on the first screen of a plan.

#include "plan/report_choices.hpp"

#include "plan/report.hpp"
#include "sim/base/plain_number.hpp"
#include "sim/base/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// The unit of the times of a table, which its first choice decides.
struct TimeUnit {
  const char* name;
  double s;
};
TimeUnit unit_of_times(double time_s) {
  constexpr double hour_s = 3600;
  if (time_s >= 48 * hour_s) return {"days", 24 * hour_s};
  return time_s >= 2 * hour_s ? TimeUnit{"hours", hour_s} : TimeUnit{"min", 60};
}

bool misses(const Plan& plan, const PlannedOption& option) {
  return !option.simulated || (option.chance_is_known && option.chance < plan.request.limits.chance);
}

bool has_judged_limits(const Plan& plan) {
  const auto limits = judged_limits(plan);
  return limits.deadline_s > 0 || limits.budget_usd > 0;
}

/// The word of a reason in the table; "" for the front, which several options are on.
std::string word_of(ChoiceReason reason) {
  switch (reason) {
  case ChoiceReason::fastest:
    return "fastest";
  case ChoiceReason::cheapest:
    return "cheapest";
  case ChoiceReason::least_energy:
    return "least kWh";
  case ChoiceReason::fewest_gpus:
    return "fewest GPUs";
  case ChoiceReason::most_certain:
    return "surest";
  case ChoiceReason::runner_up:
    return "runner-up";
  case ChoiceReason::front:
    break;
  }
  return "";
}

std::string strongest_reason(const PlannedOption& option) {
  return option.reasons.empty() ? "" : word_of(option.reasons.front());
}

std::string range_cell(const PlannedOption& option, const Estimate& figure, std::string (*text)(double)) {
  return option.simulated ? fmt::format("({}-{})", text(figure.low), text(figure.high)) : "";
}

/// "<- cheapest"; "no, fastest"; "runner-up".
std::string mark_of(const Plan& plan, const PlannedOption& option, bool is_first, bool has_limits) {
  const auto reason = strongest_reason(option);
  if (is_first) return reason.empty() ? "<-" : "<- " + reason;
  if (!has_limits || !misses(plan, option)) return reason;
  return reason.empty() ? "no" : "no, " + reason;
}

std::string kept_cell(const PlannedOption& option) {
  return option.simulated && option.chance_is_known ? plain_percent(option.chance) : "-";
}

std::string choice_table(const Plan& plan, const std::vector<const PlannedOption*>& choices,
                         std::size_t widest_candidate, bool with_energy) {
  const auto unit = unit_of_times(shown_figure(choices.front()->time_s));
  const bool has_limits = has_judged_limits(plan);
  std::vector<std::vector<std::string>> rows;
  for (const auto* choice : choices) {
    const auto& option = *choice;
    const Estimate time{option.time_s.value / unit.s, option.time_s.median / unit.s, option.time_s.low / unit.s,
                        option.time_s.high / unit.s};
    const auto usd = option.usd.value_or(Estimate{});
    rows.push_back({
        with_commas(option.gpus),
        cut_in_the_middle(option.candidate, widest_candidate),
        plain_number(shown_figure(time)),
        range_cell(option, time, plain_number),
        option.usd ? cell_number(shown_figure(usd)) : "-",
        option.usd ? range_cell(option, usd, cell_number) : "",
    });
    if (with_energy) rows.back().push_back(option.kwh.value > 0 ? cell_number(shown_figure(option.kwh)) : "-");
    if (has_limits) rows.back().push_back(kept_cell(option));
    rows.back().push_back(mark_of(plan, option, choice == choices.front(), has_limits));
  }
  std::vector<Column> columns{{"GPUs"}, {"candidate", Align::left}, {unit.name}, {"(90 %)", Align::left},
                              {"USD"},  {"(90 %)", Align::left}};
  if (with_energy) columns.push_back({"kWh"});
  if (has_limits) columns.push_back({"kept"});
  columns.push_back({"", Align::left});
  return to_table(columns, rows);
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t from = 0; from < text.size(); from = text.find('\n', from) + 1)
    widest = std::max(widest, text.find('\n', from) - from);
  return widest;
}

} // namespace

std::vector<const PlannedOption*> worth_a_row(const std::vector<const PlannedOption*>& choices, std::size_t most) {
  std::vector<bool> is_kept(choices.size());
  std::size_t kept = 0;
  for (const bool with_reason : {true, false})
    for (std::size_t i = 0; i < choices.size() && kept < most; ++i) {
      const bool is_worth = i == 0 || !with_reason || !strongest_reason(*choices[i]).empty();
      if (is_kept[i] || !is_worth) continue;
      is_kept[i] = true;
      ++kept;
    }
  std::vector<const PlannedOption*> rows;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (is_kept[i]) rows.push_back(choices[i]);
  return rows;
}

std::string choice_table(const Plan& plan, const std::vector<const PlannedOption*>& choices) {
  constexpr std::size_t widest_candidate = 16;
  constexpr std::size_t narrowest_candidate = 8;
  std::string table;
  for (const bool with_energy : {true, false})
    for (std::size_t width = widest_candidate; width >= narrowest_candidate; --width) {
      table = choice_table(plan, choices, width, with_energy);
      if (widest_line(table) <= screen_columns) return table;
    }
  return table;
}

std::string below_table(const Plan& plan, std::size_t choices, const std::vector<const PlannedOption*>& rows) {
  std::string text;
  const bool any_misses =
      std::any_of(rows.begin() + 1, rows.end(), [&](const PlannedOption* option) { return misses(plan, *option); });
  if (any_misses && has_judged_limits(plan))
    text += fmt::format("no: less than the {} asked for. ", plain_percent(plan.request.limits.chance));
  if (std::any_of(rows.begin(), rows.end(), [](const PlannedOption* option) { return !option->chance_is_known; }))
    text += "-: not judged without a price. ";
  const auto lack = std::count_if(plan.refused.begin(), plan.refused.end(),
                                  [](const RefusedOption& one) { return one.kind == Refusal::memory; });
  if (const auto more = choices - rows.size(); more > 0)
    text += fmt::format("{} more choice{}. ", more, more == 1 ? "" : "s");
  if (!plan.refused.empty())
    text += fmt::format("{} refused{}. ", plan.refused.size(), lack > 0 ? fmt::format(", {} for memory", lack) : "");
  if (!text.empty()) text.pop_back();
  return text;
}

} // namespace ddlsim
