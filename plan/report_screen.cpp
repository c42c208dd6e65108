#include "plan/report.hpp"
#include "plan/report_choices.hpp"
#include "sim/base/error.hpp"
#include "sim/base/plain_number.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace ddlsim {
namespace {

// The question.

std::string length_in_words(const Workload& work) {
  if (!work.convergence.empty()) return "to the target of " + work.convergence;
  if (work.tokens > 0) return count_in_words(work.tokens) + " tokens";
  return fmt::format("{:g} epochs of {} samples", work.epochs, count_in_words(work.samples));
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
  return fmt::format("{} {} ({} node{} of {}{}), {}", with_commas(option.gpus),
                     short_gpu(candidate_machine(plan, option).gpu), with_commas(option.nodes),
                     option.nodes == 1 ? "" : "s", option.candidate, spares,
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
  const auto limits = judged_limits(plan);
  if (!option.simulated || (limits.deadline_s <= 0 && limits.budget_usd <= 0)) return "";
  std::vector<std::string> words;
  if (limits.deadline_s > 0)
    words.push_back(fmt::format("{} {}", plain_time(limits.deadline_s), plain_percent(option.deadline_chance)));
  if (limits.budget_usd > 0 && option.budget_is_judged)
    words.push_back(fmt::format("{} {}", budget_in_words(limits), plain_percent(option.budget_chance)));
  if (words.empty()) return "";
  if (words.size() > 1) words.push_back("both " + plain_percent(option.chance));
  return fmt::format(" Chance to keep {}.", join_names(words));
}

std::string choice_sentence(const Plan& plan) {
  const auto& first = plan.options.front();
  const auto choice = fmt::format("{}: {}.{}", where_to_train(plan, first), what_it_takes(first), chances(plan, first));
  if (const auto close = close_call_sentence(plan); !close.empty()) return close + " " + choice;
  if (plan.limits_met) return "Take " + choice;
  const auto would_keep = would_keep_sentence(plan);
  return fmt::format("Nothing keeps {} with a chance of {}. {}{}Nearest: {}",
                     join_names(limits_in_words(judged_limits(plan))), plain_percent(plan.request.limits.chance),
                     would_keep, would_keep.empty() ? "" : " ", choice);
}

/// "256 B200 of p6-b200"
std::string option_in_words(const Plan& plan, const PlannedOption& option) {
  return fmt::format("{} {} of {}", with_commas(option.gpus), short_gpu(candidate_machine(plan, option).gpu),
                     option.candidate);
}

// What the choice rests on.

std::string measure_first_sentence(const Plan& plan) {
  if (!plan.runner_up) return "";
  const auto& other = plan.options[*plan.runner_up];
  constexpr double least_chance = 0.01; // the draws of a plan, some hundreds, tell no smaller one
  const auto chance = plan.runner_up_better < least_chance ? "under 1 %" : plain_percent(plan.runner_up_better);
  const auto today = fmt::format("Today {} {} the better choice with a chance of {}.", option_in_words(plan, other),
                                 other.gpus == 1 ? "is" : "are", chance);
  const auto& measurement = plan.discriminating;
  if (measurement.parameter.empty()) return today;
  return fmt::format("Measure first: {}, on {}. {}", measurement.what, measurement.candidate, today);
}

/// What is not known of the candidates, and so left out of every comparison.
std::string unknown_sentence(const Plan& plan) {
  const auto no_price = plan.budget_is_judged ? unpriced_candidates(plan) : std::vector<std::string>{};
  std::vector<std::string> no_power;
  for (const auto& machine : plan.machines)
    if (!machine.power_w) no_power.push_back(machine.candidate);
  std::string text;
  if (!no_price.empty())
    text += fmt::format(" No price is known for {} (--price {}=USD).", join_names(no_price), no_price.front());
  if (!no_power.empty()) text += fmt::format(" The power of {} is not known.", join_names(no_power));
  return text;
}

/// The years of the prices, where they differ.
std::string years_sentence(const Plan& plan) {
  std::set<std::string> years;
  for (const auto& machine : plan.machines)
    if (machine.price_date.size() >= 4) years.insert(machine.price_date.substr(0, 4));
  return years.size() < 2 ? "" : fmt::format(" Prices are of {} to {}.", *years.begin(), *years.rbegin());
}

std::string rests_on(const Plan& plan, bool with_years) {
  const auto& first = plan.options.front();
  const auto& machine = candidate_machine(plan, first);
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
  return fmt::format("Rests on: {}.{}{}", list, unknown_sentence(plan), with_years ? years_sentence(plan) : "");
}

/// What a screen may have: fewer rows of the table and no years leave room for the sentences.
struct ScreenRoom {
  std::size_t most_rows = 7;
  bool with_years = true;
};

std::string screen_with(const Plan& plan, const ScreenRoom& room) {
  constexpr std::size_t whole = screen_lines; // a longer sentence is cut
  const auto choices = choices_of(plan);
  const auto rows = worth_a_row(choices, room.most_rows);
  return screen_text(asked_sentence(plan), whole) + "\n" + screen_text(choice_sentence(plan), whole) +
         screen_text(unjudged_sentence(plan), whole) + "\n" + choice_table(plan, rows) +
         screen_text(below_table(plan, choices.size(), rows), whole) +
         screen_text(measure_first_sentence(plan), whole) + screen_text(rests_on(plan, room.with_years), whole) +
         "More: --details (options, prices, sources), --html page.html (charts), --json\n";
}

std::size_t lines_of_text(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

PlanScreen screen_sentences(const Plan& plan) {
  return {asked_sentence(plan),      unjudged_sentence(plan),      choice_sentence(plan),
          would_keep_sentence(plan), measure_first_sentence(plan), rests_on(plan, true)};
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

const CandidateMachine& candidate_machine(const Plan& plan, const PlannedOption& option) {
  return *std::find_if(plan.machines.begin(), plan.machines.end(),
                       [&](const CandidateMachine& machine) { return machine.candidate == option.candidate; });
}

std::vector<std::string> unpriced_candidates(const Plan& plan) {
  std::vector<std::string> names;
  for (const auto& machine : plan.machines)
    if (!machine.usd_per_node_hour) names.push_back(machine.candidate);
  return names;
}

std::string count_in_words(double count) {
  auto text = plain_number(count);
  if (text.back() == 'G') text.back() = 'B';
  return text;
}

std::string unjudged_sentence(const Plan& plan) {
  if (plan.budget_is_judged) return "";
  const auto names = unpriced_candidates(plan);
  if (names.empty()) return "The budget cannot be judged: no option has a price.";
  return fmt::format("The budget cannot be judged: no price is known for {}. State one with --price {}=USD.",
                     join_names(names), names.front());
}

std::string close_call_sentence(const Plan& plan) {
  constexpr double too_close = 0.35; // chance of the runner-up from which the order says little
  if (!plan.limits_met || !plan.runner_up || plan.runner_up_better < too_close) return "";
  const auto& first = plan.options.front();
  const auto& other = plan.options[*plan.runner_up];
  auto one = option_in_words(plan, first);
  auto another = option_in_words(plan, other);
  if (one == another) {
    one += " by " + label_of(first.strategy);
    another += " by " + label_of(other.strategy);
  }
  const double percent = std::round(100 * plan.runner_up_better);
  return fmt::format("Take {} or {}: too close to call ({:.0f} : {:.0f}).", one, another, 100 - percent, percent);
}

std::string to_screen_text(const Plan& plan) {
  constexpr std::size_t fewest_rows = 2;
  ScreenRoom room;
  auto text = screen_with(plan, room);
  while (lines_of_text(text) > screen_lines && (room.most_rows > fewest_rows || room.with_years)) {
    constexpr std::size_t rows_before_years = 3;
    if (room.with_years && room.most_rows == rows_before_years)
      room.with_years = false;
    else
      --room.most_rows;
    text = screen_with(plan, room);
  }
  return text;
}

} // namespace ddlsim
