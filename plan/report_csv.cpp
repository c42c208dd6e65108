#include "plan/choice_reason.hpp"
#include "plan/report.hpp"
#include "sim/base/escape.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

/// The figure by which options are compared, and its interval.
std::string estimate_cells(const Estimate& figure, bool has_interval) {
  if (!has_interval) return fmt::format("{:.9g},,", figure.value);
  return fmt::format("{:.9g},{:.9g},{:.9g}", shown_figure(figure), figure.low, figure.high);
}

/// A figure where it is known.
std::string cell_of(double figure) {
  return figure > 0 ? fmt::format("{:.9g}", figure) : "";
}

std::string chance_cell(double chance, bool is_known) {
  return is_known ? fmt::format("{:.9g}", chance) : "";
}

std::string reasons_cell(const PlannedOption& option) {
  std::string text;
  for (const auto reason : option.reasons) text += (text.empty() ? "" : " ") + to_text(reason);
  return text;
}

} // namespace

std::string to_csv_text(const Plan& plan) {
  std::string text =
      "candidate,cluster,strategy,gpus,nodes,batch_per_gpu,epochs,iterations,simulated,on_front,time_s,time_s_low,"
      "time_s_high,cost_usd,cost_usd_low,cost_usd_high,energy_kwh,energy_kwh_low,energy_kwh_high,power_w,"
      "goodput,efficiency,chance,evidence,deadline_chance,budget_chance,usd_per_million_tokens,tokens_per_s,"
      "flop_utilisation,peak_memory_bytes,reasons\n";
  for (const auto& option : plan.options) {
    text += fmt::format("{},{},{},{},{},{:.9g},{:.9g},{:.9g},{},{},{},", csv_cell(option.candidate),
                        csv_cell(option.cluster), csv_cell(label_of(option.strategy)), option.gpus, option.nodes,
                        option.batch_per_gpu, option.epochs, option.iterations, option.simulated, option.on_front,
                        estimate_cells(option.time_s, option.simulated));
    text += (option.usd ? estimate_cells(*option.usd, option.simulated) : ",,") + ",";
    text += (option.kwh.value > 0 ? estimate_cells(option.kwh, option.simulated) : ",,") + ",";
    text += fmt::format("{},{:.9g},{:.9g},", cell_of(option.room_power_w), option.goodput, option.efficiency);
    text += option.simulated ? fmt::format("{},{},{:.9g},{}", chance_cell(option.chance, option.chance_is_known),
                                           to_text(option.evidence), option.deadline_chance,
                                           chance_cell(option.budget_chance, option.budget_is_judged))
                             : ",,,";
    const double usd = option.usd && option.tokens > 0 ? 1e6 * shown_figure(*option.usd) / option.tokens : 0;
    text += fmt::format(",{},{},{},{},{}\n", cell_of(usd), cell_of(option.tokens_per_s),
                        cell_of(option.flop_utilisation), cell_of(option.peak_memory_bytes), reasons_cell(option));
  }
  return text;
}

} // namespace ddlsim
