#include "sim/base/escape.hpp"
#include "sim/base/json.hpp"
#include "sim/base/table.hpp"
#include "validate/ratios/ratios.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

using RatioJson = nlohmann::ordered_json;

/// Mean errors over the ratios of a cluster, or over clusters.
struct RatioErrors {
  int ratios = 0;
  double cluster_file = 0;
  double held = 0;
  double as_shipped = 0;
  double held_as_shipped = 0;
  double linear = 0; ///< of the rule that the speed grows in proportion to the GPUs
};

/// The means. The sum is divided once, so that a share of all is exactly 1.
RatioErrors mean_of(const std::vector<RatioErrors>& all) {
  RatioErrors mean;
  const auto count = static_cast<double>(std::max<std::size_t>(all.size(), 1));
  const auto mean_by = [&](double RatioErrors::*field) {
    for (const auto& one : all) mean.*field += one.*field;
    mean.*field /= count;
  };
  for (const auto& one : all) mean.ratios += one.ratios;
  for (const auto field : {&RatioErrors::cluster_file, &RatioErrors::held, &RatioErrors::as_shipped,
                           &RatioErrors::held_as_shipped, &RatioErrors::linear})
    mean_by(field);
  return mean;
}

RatioErrors errors_of(const PredictedRatio& one) {
  const auto& record = one.record;
  const Ratio linear{static_cast<double>(record.gpus) / record.base_gpus, 0, 0};
  return {1,
          ratio_error(one.from_cluster_file, record),
          holds(one.from_cluster_file, record) ? 1.0 : 0.0,
          ratio_error(one.as_shipped, record),
          holds(one.as_shipped, record) ? 1.0 : 0.0,
          ratio_error(linear, record)};
}

struct ClusterErrors {
  std::string cluster;
  RatioErrors errors;
};

/// The errors of clusters that have an answer, in the order of the ratios.
std::vector<ClusterErrors> errors_by_cluster(const std::vector<PredictedRatio>& ratios) {
  std::vector<std::pair<std::string, std::vector<RatioErrors>>> sorted;
  for (const auto& one : ratios) {
    if (!one.refusal.empty()) continue;
    if (sorted.empty() || sorted.back().first != one.cluster) sorted.push_back({one.cluster, {}});
    sorted.back().second.push_back(errors_of(one));
  }
  std::vector<ClusterErrors> all;
  for (const auto& [cluster, errors] : sorted) all.push_back({cluster, mean_of(errors)});
  return all;
}

RatioErrors mean_of(const std::vector<ClusterErrors>& clusters) {
  std::vector<RatioErrors> all;
  for (const auto& one : clusters) all.push_back(one.errors);
  return mean_of(all);
}

std::vector<std::string> row_of(const std::string& name, const RatioErrors& errors) {
  const auto percent = [](double error) { return fmt::format("{:.1f}", 100 * error); };
  return {name,
          fmt::format("{}", errors.ratios),
          percent(errors.cluster_file),
          fmt::format("{:.0f}", 100 * errors.held),
          percent(errors.as_shipped),
          fmt::format("{:.0f}", 100 * errors.held_as_shipped),
          percent(errors.linear)};
}

std::string ratio_text(const Ratio& ratio) {
  return fmt::format("{:.2f} ({:.1f}..{:.1f})", ratio.times, ratio.low, ratio.high);
}

std::string table_of_clusters(const std::vector<PredictedRatio>& ratios) {
  const auto clusters = errors_by_cluster(ratios);
  if (clusters.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const auto& one : clusters) rows.push_back(row_of(for_terminal(one.cluster), one.errors));
  rows.push_back(row_of("mean of clusters", mean_of(clusters)));
  return to_table(
      {{"mean error, %", Align::left}, {"ratios"}, {"cluster file"}, {"held"}, {"as shipped"}, {"held"}, {"linear"}},
      rows);
}

std::string scales_text(const SpeedUpRecord& record) {
  return fmt::format("{} to {}", record.base_gpus, record.gpus);
}

std::string trust_text(const SpeedUpRecord& record) {
  return record.trust + (record.head.suspect ? ", suspect" : "");
}

std::string table_of_ratios(const std::vector<PredictedRatio>& ratios) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& one : ratios) {
    if (!one.refusal.empty()) continue;
    rows.push_back({for_terminal(one.record.head.series), scales_text(one.record), trust_text(one.record),
                    fmt::format("{:.2f}", one.record.speed_up), ratio_text(one.from_cluster_file),
                    ratio_text(one.as_shipped)});
  }
  if (rows.empty()) return "";
  return to_table({{"times as fast", Align::left}, {"GPUs"}, {"class"}, {"measured"}, {"cluster file"}, {"as shipped"}},
                  rows);
}

RatioJson json_of(const Ratio& ratio) {
  return {{"times", ratio.times}, {"low", ratio.low}, {"high", ratio.high}};
}

RatioJson json_of(const RatioErrors& errors) {
  return {{"ratios", errors.ratios},         {"cluster_file", errors.cluster_file},       {"held", errors.held},
          {"as_shipped", errors.as_shipped}, {"held_as_shipped", errors.held_as_shipped}, {"linear", errors.linear}};
}

RatioJson json_of(const PredictedRatio& one) {
  const auto& record = one.record;
  RatioJson json{{"cluster", one.cluster},        {"series", record.head.series}, {"model", record.model},
                 {"base_gpus", record.base_gpus}, {"gpus", record.gpus},          {"trust", record.trust},
                 {"measured", record.speed_up}};
  if (record.head.suspect) json["suspect"] = true;
  if (!record.assumed.empty()) json["assumed"] = record.assumed;
  if (!one.refusal.empty()) {
    json["refusal"] = one.refusal;
  } else {
    json["cluster_file"] = json_of(one.from_cluster_file);
    json["as_shipped"] = json_of(one.as_shipped);
  }
  return json;
}

} // namespace

std::string ratios_report_text(const std::vector<PredictedRatio>& ratios) {
  if (ratios.empty()) return "no speed-up or efficiency of unknown base is recorded\n";
  std::string text =
      to_lines(
          "Speed-ups and efficiencies published without a base rate, or without a batch: mean error in per cent of "
          "what ddlsim says from the cluster file alone, where the cluster's site is unknown, and as shipped, each "
          "with the share in its 90 % interval; beside them linear growth.") +
      "\n" + table_of_clusters(ratios);
  if (const auto rows = table_of_ratios(ratios); !rows.empty()) text += "\n" + rows;
  for (const auto& one : ratios)
    if (!one.refusal.empty())
      text += to_lines(fmt::format("{}, {} GPUs: no answer: {}", for_terminal(one.record.head.series),
                                   scales_text(one.record), for_terminal(one.refusal)));
  return text;
}

std::string ratios_json(const std::vector<PredictedRatio>& ratios) {
  const auto clusters = errors_by_cluster(ratios);
  RatioJson json{{"format", "ddlsim-ratios"}, {"version", 1}, {"mean", json_of(mean_of(clusters))}};
  json["by_cluster"] = RatioJson::array();
  for (const auto& one : clusters) {
    auto row = json_of(one.errors);
    row["cluster"] = one.cluster;
    json["by_cluster"].push_back(row);
  }
  json["ratios"] = RatioJson::array();
  for (const auto& one : ratios) json["ratios"].push_back(json_of(one));
  return json_text(json, 1) + "\n";
}

} // namespace ddlsim
