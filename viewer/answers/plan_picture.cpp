#include "plan/report.hpp"
#include "sim/base/plain_number.hpp"
#include "sim/base/units.hpp"
#include "viewer/answers/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ddlsim {
namespace {

constexpr std::size_t lettered_choices = 5; ///< choices that have a letter in chart and table

/// The choices of a chart, with the unit of their times.
struct ChosenUnits {
  const Plan& plan;
  std::vector<const PlannedOption*> choices;
  double unit_s = 1;
  std::string unit;
};

ChosenUnits chosen_units(const Plan& plan) {
  constexpr double hour_s = 3600;
  constexpr double day_s = 24 * hour_s;
  ChosenUnits chosen{plan, choices_of(plan), 60, "minutes"};
  const double time_s = shown_figure(chosen.choices.front()->time_s);
  if (time_s >= 2 * hour_s) chosen.unit_s = hour_s, chosen.unit = "hours";
  if (time_s >= 2 * day_s) chosen.unit_s = day_s, chosen.unit = "days";
  return chosen;
}

std::string machines_text(const Plan& plan, const PlannedOption& option) {
  const auto machine = std::find_if(plan.machines.begin(), plan.machines.end(),
                                    [&](const auto& one) { return one.candidate == option.candidate; });
  return fmt::format("{} {}", with_commas(option.gpus),
                     machine == plan.machines.end() ? option.candidate : short_gpu(machine->gpu));
}

bool keeps_limits(const Plan& plan, const PlannedOption& option) {
  return option.simulated && option.chance_is_known && option.chance >= plan.request.limits.chance;
}

std::string range_words(const Estimate& figure, std::string (*text)(double)) {
  return fmt::format("{} ({})", text(shown_figure(figure)), words_of_range(text(figure.low), text(figure.high)));
}

std::string choice_readout(const Plan& plan, const PlannedOption& option) {
  auto text = fmt::format("{} of {}: {}", machines_text(plan, option), option.candidate,
                          option.simulated ? range_words(option.time_s, plain_time) : plain_time(option.time_s.value));
  if (option.usd)
    text += fmt::format(", {} USD",
                        option.simulated ? range_words(*option.usd, plain_number) : plain_number(option.usd->value));
  if (!option.simulated || !option.chance_is_known) return text;
  return text + fmt::format("; kept with {}", plain_percent(option.chance));
}

ChartMark choice_mark(const ChosenUnits& chosen, std::size_t number, bool by_cost) {
  const auto& option = *chosen.choices[number];
  ChartMark mark;
  mark.x = shown_figure(option.time_s) / chosen.unit_s;
  mark.y = by_cost ? shown_figure(*option.usd) : option.gpus;
  const bool has_letter = number < lettered_choices;
  mark.strong = keeps_limits(chosen.plan, option);
  mark.glyph = mark.strong ? Glyph::dot : Glyph::ring;
  if (has_letter) {
    mark.letter = std::string(1, static_cast<char>('A' + number));
    mark.label = machines_text(chosen.plan, option);
  }
  mark.x_low = mark.x_high = mark.x;
  mark.y_low = mark.y_high = mark.y;
  if (has_letter && option.simulated) {
    mark.x_low = option.time_s.low / chosen.unit_s;
    mark.x_high = option.time_s.high / chosen.unit_s;
    if (by_cost) mark.y_low = option.usd->low, mark.y_high = option.usd->high;
  }
  mark.readout = choice_readout(chosen.plan, option);
  return mark;
}

/// Sets the line through the marks of which none is both faster and cheaper.
void set_front(Chart& chart) {
  for (std::size_t i = 0; i < chart.marks.size(); ++i) {
    const auto& one = chart.marks[i];
    const bool is_beaten = std::any_of(chart.marks.begin(), chart.marks.end(), [&](const ChartMark& other) {
      return other.x <= one.x && other.y <= one.y && (other.x < one.x || other.y < one.y);
    });
    if (!is_beaten) chart.front_marks.push_back(i);
  }
  std::sort(chart.front_marks.begin(), chart.front_marks.end(),
            [&](std::size_t a, std::size_t b) { return chart.marks[a].x < chart.marks[b].x; });
}

void add_limits(const ChosenUnits& chosen, bool by_cost, Chart& chart) {
  const auto& limits = chosen.plan.request.limits;
  if (limits.deadline_s > 0)
    chart.rules.push_back(
        {true, limits.deadline_s / chosen.unit_s, "deadline " + plain_time(limits.deadline_s), "deadline", true});
  if (by_cost && limits.budget_usd > 0)
    chart.rules.push_back(
        {false, limits.budget_usd, fmt::format("budget {} USD", cell_number(limits.budget_usd)), "budget", true});
  if (!chart.rules.empty()) chart.box = chart.rules.size() > 1 ? "inside both limits" : "inside the limit";
}

Chart choices_chart(const ChosenUnits& chosen) {
  const bool by_cost = chosen.choices.front()->usd.has_value();
  constexpr int beside_table_px = 680;
  Chart chart;
  chart.width = beside_table_px;
  chart.title = by_cost ? "Time against cost" : "Time against GPUs";
  chart.note = fmt::format(
      "bar: 90 % interval; filled: keeps the limits ({} or more), ring: does not; dotted: none is both faster and {}",
      plain_percent(chosen.plan.request.limits.chance), by_cost ? "cheaper" : "smaller");
  chart.x = {"time of the whole training, " + chosen.unit, AxisScale::logarithmic};
  chart.y = {by_cost ? "cost of the whole training, USD" : "GPUs", AxisScale::logarithmic,
             by_cost ? AxisUnit::number : AxisUnit::count};
  for (std::size_t i = 0; i < chosen.choices.size(); ++i)
    if (!by_cost || chosen.choices[i]->usd) chart.marks.push_back(choice_mark(chosen, i, by_cost));
  add_limits(chosen, by_cost, chart);
  std::vector<double> x;
  std::vector<double> y;
  for (const auto& mark : chart.marks) {
    x.insert(x.end(), {mark.x_low, mark.x_high, mark.x});
    y.insert(y.end(), {mark.y_low, mark.y_high, mark.y});
  }
  for (const auto& rule : chart.rules) (rule.is_vertical ? x : y).push_back(rule.at);
  span_axis(chart.x, x);
  span_axis(chart.y, y);
  constexpr double margin = 1.15; // so that no mark lies on the edge
  for (auto* axis : {&chart.x, &chart.y}) axis->low /= margin, axis->high *= margin;
  set_front(chart);
  return chart;
}

std::string cost_words(const PlannedOption& option) {
  if (!option.usd) return "";
  auto text = fmt::format(", {} USD", plain_number(shown_figure(*option.usd)));
  if (option.tokens > 0)
    text += fmt::format(", {} USD per million tokens", plain_number(1e6 * shown_figure(*option.usd) / option.tokens));
  return text;
}

void set_heading(const Plan& plan, const PlanScreen& screen, Picture& picture) {
  const auto& first = plan.options.front();
  const auto figure = machines_text(plan, first);
  const auto choice = fmt::format("{}: {}{}.", figure, plain_time(shown_figure(first.time_s)), cost_words(first));
  const auto told = sentences_of(screen.choice);
  picture.is_bad = !plan.limits_met;
  picture.figure = plan.limits_met ? figure : "Nothing keeps";
  const bool is_close = !close_call_sentence(plan).empty();
  picture.heading = plan.limits_met && !is_close ? "Take " + choice : told.front();
  if (is_close) picture.sentences.push_back(choice);
  if (!screen.would_keep.empty()) picture.sentences.push_back(screen.would_keep);
  if (!plan.limits_met) picture.sentences.push_back("Nearest: " + choice);
  auto details = fmt::format("{} node{} of {}, {}", with_commas(first.nodes), first.nodes == 1 ? "" : "s",
                             first.candidate, label_of(first.strategy));
  if (first.simulated) {
    details += "; 90 % interval: " + words_of_range(plain_time(first.time_s.low), plain_time(first.time_s.high));
    if (first.usd) details += fmt::format(", {} USD", plain_range(first.usd->low, first.usd->high));
  }
  picture.sentences.push_back(details + ".");
  if (told.back().starts_with("Chance to keep")) picture.sentences.push_back(told.back());
  if (!screen.unjudged.empty()) picture.sentences.push_back(screen.unjudged);
}

} // namespace

Picture plan_picture(const Plan& plan) {
  const auto screen = screen_sentences(plan);
  Picture picture;
  const auto comma = screen.question.find(", ");
  picture.title = screen.question.substr(0, comma);
  picture.facts = comma == std::string::npos ? "" : screen.question.substr(comma + 2);
  set_heading(plan, screen, picture);
  picture.charts = {choices_chart(chosen_units(plan))};
  if (!screen.measure_first.empty())
    picture.notes.push_back(
        {"measure", "Measure first, because it could change the choice", {after_label(screen.measure_first)}});
  picture.notes.push_back({"rests", "What this rests on", {after_label(screen.rests_on)}});
  picture.folded = {{"prices", "Prices and power", plan.prices}, {"notes", "Notes", all_warnings(plan)}};
  picture.json = to_json_text(plan);
  return picture;
}

} // namespace ddlsim
