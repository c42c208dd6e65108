#include "plan/report.hpp"
#include "sim/base/error.hpp"
#include "sim/base/escape.hpp"
#include "sim/base/table.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

constexpr std::size_t most_rows = 20;   ///< most rows of the table, which fills one screen together with the sentences
constexpr std::size_t widest_name = 12; ///< most characters of a name in the table
constexpr std::size_t widest_strategy = 12;
constexpr int epochs_column = 5; ///< position of the column, after the nodes
constexpr double hour_s = 3600;

/// Writes a number with three significant digits and without an exponent: "14.2", "0.0351", "1520".
std::string short_number(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  if (value >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.3g}", value);
}

/// Writes the figure by which options are compared, with its interval.
std::string estimate_text(const Estimate& figure, const std::string& unit, double in_unit = 1) {
  std::string value = fmt::format("{} {}", short_number(shown_figure(figure) / in_unit), unit);
  if (figure.high <= 0) return value;
  return fmt::format("{} ({}..{})", value, short_number(figure.low / in_unit), short_number(figure.high / in_unit));
}

/// Writes a time in hours; in minutes below an hour, and in days above four days.
std::string time_text(const Estimate& time_s) {
  constexpr double minute_s = 60;
  constexpr double day_s = 24 * hour_s;
  const double shown_s = shown_figure(time_s);
  if (shown_s < hour_s) return estimate_text(time_s, "min", minute_s);
  return shown_s > 4 * day_s ? estimate_text(time_s, "d", day_s) : estimate_text(time_s, "h", hour_s);
}

std::string cost_text(const PlannedOption& option) {
  constexpr double million = 1e6;
  if (!option.usd) return "-";
  return shown_figure(*option.usd) < million ? estimate_text(*option.usd, "USD")
                                             : estimate_text(*option.usd, "M USD", million);
}

std::string energy_text(const PlannedOption& option) {
  return option.kwh.value > 0 ? estimate_text(option.kwh, "kWh") : "-";
}

/// Writes the strategy. The rule that places tensors on servers is left out if the request does not choose one.
std::string strategy_text(const Strategy& strategy) {
  constexpr std::string_view open = ", unknown)";
  auto text = to_text(strategy);
  if (text.ends_with(open)) text.replace(text.size() - open.size(), open.size(), ")");
  return text;
}

bool epochs_differ(const Plan& plan) {
  return !plan.request.workload.convergence.empty();
}

std::string option_text(const Plan& plan, const PlannedOption& option) {
  const std::string gpus = option.gpus == 1 ? "one GPU"
                                            : fmt::format("{} GPUs on {} {}", option.gpus, option.nodes,
                                                          option.nodes == 1 ? "node" : "nodes");
  const std::string spares = option.spare_nodes > 0 ? fmt::format(" ({} spare)", option.spare_nodes) : "";
  const std::string how = option.gpus == 1 ? "" : fmt::format(", {}", label_of(option.strategy));
  const std::string epochs = epochs_differ(plan) ? fmt::format(", {:.3g} epochs", option.epochs) : "";
  return fmt::format("{}, {}{}{}{}", option.candidate, gpus, spares, how, epochs);
}

std::string figures_text(const PlannedOption& option) {
  std::string text = time_text(option.time_s);
  if (option.usd) text += ", " + cost_text(option);
  if (option.kwh.value > 0) text += ", " + energy_text(option);
  return text;
}

std::string length_text(const Workload& work) {
  if (!work.convergence.empty()) return fmt::format("to the target of {}", work.convergence);
  if (work.tokens > 0) return fmt::format("{} tokens", count_in_words(work.tokens));
  return fmt::format("{:g} epochs of {} samples", work.epochs, count_in_words(work.samples));
}

std::string question_text(const Plan& plan) {
  const auto& work = plan.request.workload;
  const std::string batch = work.global_batch > 0 ? fmt::format("{:g} samples an iteration", work.global_batch)
                                                  : fmt::format("{:g} samples a GPU", work.batch_per_gpu);
  const std::string length = length_text(work);
  return fmt::format("{}: {}, {}, {}, {}", plan.request.name, work.model, length, batch, to_text(work.precision));
}

bool has_limits(const Plan& plan) {
  const auto limits = judged_limits(plan);
  return limits.deadline_s > 0 || limits.budget_usd > 0;
}

std::string limits_text(const Plan& plan) {
  const auto& limits = plan.request.limits;
  std::vector<std::string> words;
  if (limits.deadline_s > 0) words.push_back(print_quantity(limits.deadline_s, Dimension::time));
  if (limits.budget_usd > 0) words.push_back(print_quantity(limits.budget_usd, Dimension::price));
  if (limits.power_w > 0) words.push_back(print_quantity(limits.power_w, Dimension::power));
  if (limits.nodes > 0) words.push_back(fmt::format("{} nodes", limits.nodes));
  std::string text = words.empty() ? "No limits" : fmt::format("Limits: {}", join_names(words));
  if (has_limits(plan)) text += fmt::format(", kept with a chance of {:.0f} % or more", 100 * limits.chance);
  text += fmt::format("; least {} first.", to_text(plan.ranked_by));
  if (!plan.why_other_goal.empty()) text += fmt::format(" {}.", plan.why_other_goal);
  return text;
}

std::string first_choice_text(const Plan& plan) {
  const auto& first = plan.options.front();
  const std::string kept = has_limits(plan) && first.chance_is_known
                               ? fmt::format("; chance to keep the limits {:.0f} %", 100 * first.chance)
                               : "";
  const std::string choice = fmt::format("{}: {}{}.", option_text(plan, first), figures_text(first), kept);
  if (const auto close = close_call_sentence(plan); !close.empty()) return close + " " + choice;
  return plan.limits_met ? "Take " + choice : "Nothing keeps the limits. Nearest: " + choice;
}

std::string runner_up_text(const Plan& plan) {
  if (!plan.runner_up) return "There is no other option to compare with.";
  const auto& other = plan.options[*plan.runner_up];
  return fmt::format("Runner-up {}: {}. Chance that it is the better choice: {:.0f} %.", option_text(plan, other),
                     figures_text(other), 100 * plan.runner_up_better);
}

std::string discriminating_text(const Plan& plan) {
  const auto& measurement = plan.discriminating;
  if (measurement.parameter.empty()) return "";
  return fmt::format(
      "Measure first, on {}: {} ({}). The 90 % interval of the ratio of the two options shrinks from +-{:.0f} % to "
      "+-{:.0f} %.",
      measurement.candidate, measurement.what, measurement.parameter, 100 * measurement.interval_now,
      100 * measurement.interval_then);
}

std::string simulated_text(const Plan& plan) {
  const auto simulated = std::count_if(plan.options.begin(), plan.options.end(),
                                       [](const PlannedOption& option) { return option.simulated; });
  std::string text =
      fmt::format("{} options, {} simulated with {} samples", plan.options.size(), simulated, plan.request.samples);
  if (static_cast<std::size_t>(simulated) < plan.options.size()) text += ", the others by their likeliest alone";
  return text + fmt::format("; {} refused.", plan.refused.size());
}

std::string table_of(const Plan& plan) {
  std::vector<Column> columns;
  for (const auto& header : option_headers(plan)) columns.push_back({header, Align::left});
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(most_rows, plan.options.size()); ++i)
    rows.push_back(option_cells(plan, plan.options[i]));
  return to_table(columns, rows);
}

std::string left_out_text(const Plan& plan) {
  if (plan.options.size() <= most_rows) return "";
  return to_lines(fmt::format("{} more options: --csv and --json have all.", plan.options.size() - most_rows));
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const auto& cell : cells) row += " " + cell + " |";
  return row + "\n";
}

} // namespace

std::vector<std::string> all_warnings(const Plan& plan) {
  auto warnings = plan.warnings;
  warnings.insert(warnings.end(), plan.further_warnings.begin(), plan.further_warnings.end());
  return warnings;
}

std::vector<std::string> option_headers(const Plan& plan) {
  std::vector<std::string> headers{"",       "candidate", "strategy", "GPUs", "nodes", "time (90 %)", "cost (90 %)",
                                   "energy", "chance",    "evidence"};
  if (epochs_differ(plan)) headers.insert(headers.begin() + epochs_column, "epochs");
  return headers;
}

std::vector<std::string> option_cells(const Plan& plan, const PlannedOption& option) {
  std::vector<std::string> cells{
      option.on_front ? "*" : "", cut_in_the_middle(option.candidate, widest_name),
      option.gpus == 1 ? "-" : cut_in_the_middle(strategy_text(option.strategy), widest_strategy),
      fmt::format("{}", option.gpus), fmt::format("{}", option.nodes), time_text(option.time_s), cost_text(option),
      // its interval is proportional to that of the time
      option.kwh.value > 0 ? short_number(shown_figure(option.kwh)) + " kWh" : "-",
      option.simulated && option.chance_is_known ? fmt::format("{:.0f} %", 100 * option.chance) : "-",
      option.simulated ? to_text(option.evidence) : "by formula"};
  if (epochs_differ(plan)) cells.insert(cells.begin() + epochs_column, fmt::format("{:.3g}", option.epochs));
  return cells;
}

std::vector<std::string> plan_sentences(const Plan& plan) {
  std::vector<std::string> sentences{question_text(plan), limits_text(plan), first_choice_text(plan)};
  if (const auto would_keep = would_keep_sentence(plan); !would_keep.empty()) sentences.push_back(would_keep);
  if (const auto unjudged = unjudged_sentence(plan); !unjudged.empty()) sentences.push_back(unjudged);
  sentences.push_back(runner_up_text(plan));
  if (const auto discriminating = discriminating_text(plan); !discriminating.empty())
    sentences.push_back(discriminating);
  sentences.push_back(simulated_text(plan));
  if (const auto would_fit = would_fit_sentence(plan); !would_fit.empty()) sentences.push_back(would_fit);
  return sentences;
}

std::string to_terminal_text(const Plan& plan) {
  std::string text;
  for (const auto& sentence : plan_sentences(plan)) text += to_lines(sentence);
  text += "\n" + table_of(plan) + left_out_text(plan);
  text += "* none is better in time, cost and energy together. In the order of the medians of the samples.\n\n";
  for (const auto& price : plan.prices) text += to_lines(price);
  return text;
}

std::string to_markdown_text(const Plan& plan) {
  std::string text;
  for (const auto& sentence : plan_sentences(plan)) text += sentence + "\n\n";
  const auto headers = option_headers(plan);
  text += markdown_row(headers) + "|";
  for (std::size_t i = 0; i < headers.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& option : plan.options) text += markdown_row(option_cells(plan, option));
  text += "\n";
  for (const auto& price : plan.prices) text += "- " + price + "\n";
  return without_tags(text);
}

} // namespace ddlsim
