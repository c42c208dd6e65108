#include "plan/report.hpp"
#include "sim/base/escape.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

std::string estimate_cells(const Estimate& figure, bool has_interval) {
  if (!has_interval) return fmt::format("{:.9g},,", figure.value);
  return fmt::format("{:.9g},{:.9g},{:.9g}", figure.value, figure.low, figure.high);
}

} // namespace

std::string to_csv_text(const Plan& plan) {
  std::string text =
      "candidate,cluster,strategy,gpus,nodes,batch_per_gpu,epochs,iterations,simulated,on_front,time_s,time_s_low,"
      "time_s_high,cost_usd,cost_usd_low,cost_usd_high,energy_kwh,energy_kwh_low,energy_kwh_high,power_w,"
      "goodput,efficiency,chance,evidence\n";
  for (const auto& option : plan.options) {
    text += fmt::format("{},{},{},{},{},{:.9g},{:.9g},{:.9g},{},{},{},", csv_cell(option.candidate),
                        csv_cell(option.cluster), csv_cell(label_of(option.strategy)), option.gpus, option.nodes,
                        option.batch_per_gpu, option.epochs, option.iterations, option.simulated, option.on_front,
                        estimate_cells(option.time_s, option.simulated));
    text += (option.usd ? estimate_cells(*option.usd, option.simulated) : ",,") + ",";
    text += (option.kwh.value > 0 ? estimate_cells(option.kwh, option.simulated) : ",,") + ",";
    text += fmt::format("{:.9g},{:.9g},{:.9g},", option.room_power_w, option.goodput, option.efficiency);
    text += option.simulated ? fmt::format("{:.9g},{}\n", option.chance, to_text(option.evidence)) : ",\n";
  }
  return text;
}

} // namespace ddlsim
