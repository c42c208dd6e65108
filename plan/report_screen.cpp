#include "plan/report.hpp"
#include "sim/base/error.hpp"
#include "sim/base/plain_number.hpp"
#include "sim/base/table.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

namespace ddlsim {
namespace {

const CandidateMachine& machine_of(const Plan& plan, const PlannedOption& option) {
  return *std::find_if(plan.machines.begin(), plan.machines.end(),
                       [&](const CandidateMachine& machine) { return machine.candidate == option.candidate; });
}

// The question.

std::string length_in_words(const Workload& work) {
  if (!work.convergence.empty()) return "to the target of " + work.convergence;
  if (work.tokens > 0) return plain_number(work.tokens) + " tokens";
  return fmt::format("{:g} epochs of {} samples", work.epochs, plain_number(work.samples));
}

std::string budget_in_words(const PlanLimits& limits) {
  return with_commas(limits.budget_usd) + " USD";
}

std::vector<std::string> limits_in_words(const PlanLimits& limits) {
  std::vector<std::string> words;
  if (limits.deadline_s > 0) words.push_back(plain_time(limits.deadline_s));
  if (limits.budget_usd > 0) words.push_back(budget_in_words(limits));
  if (limits.power_w > 0) words.push_back(print_quantity(limits.power_w, Dimension::power));
  if (limits.nodes > 0) words.push_back(fmt::format("{} nodes", limits.nodes));
  return words;
}

std::string asked_sentence(const Plan& plan) {
  const auto& work = plan.request.workload;
  const auto limits = limits_in_words(plan.request.limits);
  const auto within = limits.empty() ? "no limits" : "within " + join_names(limits);
  const auto first = plan.ranked_by == PlanGoal::cost ? "" : fmt::format("; least {} first", to_text(plan.ranked_by));
  return fmt::format("{}, {}, {}; {}{}{}", work.model, length_in_words(work), to_text(work.precision), within, first,
                     plan.why_other_goal.empty() ? "" : " (" + plan.why_other_goal + ")");
}

// The choice.

std::string range_of(const PlannedOption& option, const Estimate& figure, std::string (*text)(double)) {
  if (!option.simulated) return "";
  return fmt::format(" ({} to {})", text(figure.low), text(figure.high));
}

std::string where_to_train(const Plan& plan, const PlannedOption& option) {
  const auto spares = option.spare_nodes > 0 ? fmt::format(", {} spare", option.spare_nodes) : "";
  return fmt::format("{} {} ({} node{} of {}{}), {}", with_commas(option.gpus), short_gpu(machine_of(plan, option).gpu),
                     with_commas(option.nodes), option.nodes == 1 ? "" : "s", option.candidate, spares,
                     option.gpus == 1 ? "alone" : label_of(option.strategy));
}

/// The lower end of an interval of times, without its unit where that is the unit of the upper end.
std::string low_in_unit_of(const Estimate& time) {
  const auto low = plain_time(time.low);
  const auto high = plain_time(time.high);
  const auto unit = high.substr(high.find(' '));
  return low.ends_with(unit) ? low.substr(0, low.size() - unit.size()) : low;
}

std::string what_it_takes(const PlannedOption& option) {
  const auto& time = option.time_s;
  auto text = plain_time(shown_figure(time));
  if (option.simulated) text += fmt::format(" (90 %: {} to {})", low_in_unit_of(time), plain_time(time.high));
  if (option.usd) {
    text +=
        fmt::format(", {} USD{}", plain_number(shown_figure(*option.usd)), range_of(option, *option.usd, plain_number));
    if (option.tokens > 0)
      text += fmt::format(", {} USD per million tokens", plain_number(1e6 * shown_figure(*option.usd) / option.tokens));
  }
  return text;
}

std::string chances(const Plan& plan, const PlannedOption& option) {
  const auto& limits = plan.request.limits;
  if (!option.simulated || (limits.deadline_s <= 0 && limits.budget_usd <= 0)) return "";
  std::vector<std::string> words;
  if (limits.deadline_s > 0)
    words.push_back(fmt::format("{} {}", plain_time(limits.deadline_s), plain_percent(option.deadline_chance)));
  if (limits.budget_usd > 0)
    words.push_back(fmt::format("{} {}", budget_in_words(limits), plain_percent(option.budget_chance)));
  if (words.size() > 1) words.push_back("both " + plain_percent(option.chance));
  return fmt::format(" Chance to keep {}.", join_names(words));
}

std::string choice_sentence(const Plan& plan) {
  const auto& first = plan.options.front();
  const auto choice = fmt::format("{}: {}.{}", where_to_train(plan, first), what_it_takes(first), chances(plan, first));
  if (plan.limits_met) return "Take " + choice;
  return fmt::format("Nothing keeps {} with a chance of {}. Nearest: {} {}",
                     join_names(limits_in_words(plan.request.limits)), plain_percent(plan.request.limits.chance),
                     choice, would_keep_sentence(plan));
}

// The table of choices.

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
  return !option.simulated || option.chance < plan.request.limits.chance;
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

/// The first choice, those with a reason, and others up to `most`, in the order of the ranking.
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

std::string choice_table(const Plan& plan, const std::vector<const PlannedOption*>& choices,
                         std::size_t widest_candidate, bool with_energy) {
  const auto unit = unit_of_times(shown_figure(choices.front()->time_s));
  const bool has_limits = plan.request.limits.deadline_s > 0 || plan.request.limits.budget_usd > 0;
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
    if (has_limits) rows.back().push_back(option.simulated ? plain_percent(option.chance) : "-");
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

/// The table with names of candidates as long as lines of a screen allow, and with energy if it has room.
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
  if (any_misses && plan.request.limits.deadline_s + plan.request.limits.budget_usd > 0)
    text += fmt::format("no: less than the {} asked for. ", plain_percent(plan.request.limits.chance));
  const auto lack = std::count_if(plan.refused.begin(), plan.refused.end(),
                                  [](const RefusedOption& one) { return one.kind == Refusal::memory; });
  if (const auto more = choices - rows.size(); more > 0)
    text += fmt::format("{} more choice{}. ", more, more == 1 ? "" : "s");
  if (!plan.refused.empty())
    text += fmt::format("{} refused{}. ", plan.refused.size(), lack > 0 ? fmt::format(", {} for memory", lack) : "");
  if (!text.empty()) text.pop_back();
  return text;
}

// What the choice rests on.

std::string measure_first_sentence(const Plan& plan) {
  if (!plan.runner_up) return "";
  const auto& other = plan.options[*plan.runner_up];
  const auto rival =
      fmt::format("{} {} of {}", with_commas(other.gpus), short_gpu(machine_of(plan, other).gpu), other.candidate);
  const auto today =
      fmt::format("Today {} are the better choice with a chance of {}.", rival, plain_percent(plan.runner_up_better));
  const auto& measurement = plan.discriminating;
  if (measurement.parameter.empty()) return today;
  return fmt::format("Measure first: {}, on {}. {}", measurement.what, measurement.candidate, today);
}

/// What is not known of the candidates, and so left out of every comparison.
std::string unknown_sentence(const Plan& plan) {
  std::vector<std::string> no_price;
  std::vector<std::string> no_power;
  for (const auto& machine : plan.machines) {
    if (!machine.usd_per_node_hour) no_price.push_back(machine.candidate);
    if (!machine.power_w) no_power.push_back(machine.candidate);
  }
  std::string text;
  if (!no_price.empty()) text += fmt::format(" The price of {} is not known.", join_names(no_price));
  if (!no_power.empty()) text += fmt::format(" The power of {} is not known.", join_names(no_power));
  return text;
}

/// The years of the prices, where they differ.
std::string years_sentence(const Plan& plan) {
  std::set<std::string> years;
  for (const auto& machine : plan.machines)
    if (machine.price_date.size() >= 4) years.insert(machine.price_date.substr(0, 4));
  if (years.size() < 2) return "";
  return fmt::format(" Prices are of different years: {}.", join_names({years.begin(), years.end()}));
}

std::string rests_on(const Plan& plan) {
  const auto& first = plan.options.front();
  const auto& machine = machine_of(plan, first);
  std::vector<std::string> words;
  if (first.flop_utilisation > 0 && first.tokens_per_s > 0)
    words.push_back(plain_percent(first.flop_utilisation) + " MFU");
  if (first.simulated) words.push_back("evidence: " + to_text(first.evidence));
  if (1 - first.goodput >= 0.001)
    words.push_back(plain_percent(1 - first.goodput) + " of the time for failures, checkpoints and the start");
  if (machine.usd_per_node_hour.value_or(0) > 0)
    words.push_back(fmt::format("{} USD a node-hour{}", plain_number(*machine.usd_per_node_hour),
                                machine.price_date.empty() ? "" : " of " + machine.price_date));
  std::string list;
  for (const auto& word : words) list += (list.empty() ? "" : "; ") + word;
  return fmt::format("Rests on: {}.{}{}", list, unknown_sentence(plan), years_sentence(plan));
}

} // namespace

PlanScreen screen_sentences(const Plan& plan) {
  return {asked_sentence(plan), choice_sentence(plan), measure_first_sentence(plan), rests_on(plan)};
}

std::vector<const PlannedOption*> choices_of(const Plan& plan) {
  std::set<std::pair<std::string, int>> seen;
  std::vector<const PlannedOption*> choices;
  for (const auto& option : plan.options)
    if (seen.emplace(option.candidate, option.gpus).second) choices.push_back(&option);
  return choices;
}

std::string short_gpu(const std::string& gpu) {
  const auto first = gpu.substr(0, gpu.find('-'));
  const bool has_digit = std::any_of(first.begin(), first.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return gpu.empty() ? "processes" : has_digit ? first : gpu;
}

std::string to_screen_text(const Plan& plan) {
  const auto choices = choices_of(plan);
  const auto head =
      screen_text(asked_sentence(plan), 3) + "\n" + screen_text(choice_sentence(plan), plan.limits_met ? 6 : 8) + "\n";
  const auto tail = screen_text(measure_first_sentence(plan), plan.limits_met ? 4 : 3) +
                    screen_text(rests_on(plan), plan.limits_met ? 3 : 2) +
                    "More: --details (options, prices, sources), --html page.html (charts), --json\n";
  constexpr std::size_t around = 1 + 2; // the head of the table, and what is below it
  constexpr std::size_t fewest = 3;
  constexpr std::size_t most = 7;
  const auto lines =
      static_cast<std::size_t>(std::count(head.begin(), head.end(), '\n') + std::count(tail.begin(), tail.end(), '\n'));
  const auto room = screen_lines - std::min(screen_lines, lines + around);
  const auto rows = worth_a_row(choices, std::clamp(room, fewest, most));
  return head + choice_table(plan, rows) + screen_text(below_table(plan, choices.size(), rows), 2) + tail;
}

} // namespace ddlsim
