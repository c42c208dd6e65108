#include "plan/report.hpp"
#include "sim/base/escape.hpp"
#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Estimate& figure, bool has_interval) {
  Json json{{"value", nine_digits(figure.value)}};
  if (!has_interval) return json;
  json["median"] = nine_digits(figure.median);
  json["low"] = nine_digits(figure.low);
  json["high"] = nine_digits(figure.high);
  return json;
}

Json to_json(const PlannedOption& option) {
  Json json{{"candidate", option.candidate},
            {"cluster", option.cluster},
            {"strategy", label_of(option.strategy)},
            {"gpus", option.gpus},
            {"nodes", option.nodes},
            {"spare_nodes", option.spare_nodes},
            {"batch_per_gpu", nine_digits(option.batch_per_gpu)},
            {"global_batch", nine_digits(option.global_batch)},
            {"epochs", nine_digits(option.epochs)},
            {"iterations", nine_digits(option.iterations)},
            {"simulated", option.simulated},
            {"on_front", option.on_front},
            {"time_s", to_json(option.time_s, option.simulated)}};
  json["cost_usd"] = option.usd ? to_json(*option.usd, option.simulated) : Json(nullptr);
  json["energy_kwh"] = option.kwh.value > 0 ? to_json(option.kwh, option.simulated) : Json(nullptr);
  json["power_w"] = nine_digits(option.room_power_w);
  json["goodput"] = nine_digits(option.goodput);
  json["checkpoint_interval_s"] = nine_digits(option.checkpoint_interval_s);
  json["efficiency"] = nine_digits(option.efficiency);
  if (!option.simulated) return json;
  json["chance"] = nine_digits(option.chance);
  json["bottleneck"] = option.bottleneck;
  json["evidence"] = to_text(option.evidence);
  json["extrapolated"] = option.extrapolated;
  return json;
}

Json to_json(const DiscriminatingMeasurement& measurement) {
  if (measurement.parameter.empty()) return nullptr;
  return {{"candidate", measurement.candidate},
          {"gpus", measurement.gpus},
          {"parameter", measurement.parameter},
          {"what", measurement.what},
          {"interval_now", nine_digits(measurement.interval_now)},
          {"interval_then", nine_digits(measurement.interval_then)}};
}

std::string estimate_cells(const Estimate& figure, bool has_interval) {
  if (!has_interval) return fmt::format("{:.9g},,", figure.value);
  return fmt::format("{:.9g},{:.9g},{:.9g}", figure.value, figure.low, figure.high);
}

} // namespace

std::string to_json_text(const Plan& plan) {
  Json json{{"format", "ddlsim-plan"},      {"version", 1},
            {"request", plan.request.name}, {"ddlsim", version()},
            {"simgrid", simgrid_version()}, {"ranked_by", to_text(plan.ranked_by)},
            {"limits_met", plan.limits_met}};
  if (!plan.why_other_goal.empty()) json["why_other_goal"] = plan.why_other_goal;
  json["runner_up"] = plan.runner_up ? Json(*plan.runner_up) : Json(nullptr);
  json["chance_runner_up_is_better"] = plan.runner_up ? Json(nine_digits(plan.runner_up_better)) : Json(nullptr);
  json["measure_first"] = to_json(plan.discriminating);
  json["options"] = Json::array();
  for (const auto& option : plan.options) json["options"].push_back(to_json(option));
  json["refused"] = Json::array();
  for (const auto& one : plan.refused)
    json["refused"].push_back(
        {{"candidate", one.candidate}, {"strategy", one.strategy}, {"gpus", one.gpus}, {"why", one.why}});
  json["prices"] = plan.prices;
  json["warnings"] = plan.warnings;
  return json_text(json, 1) + "\n";
}

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
