#include "sim/base/escape.hpp"
#include "sim/base/json.hpp"
#include "sim/base/table.hpp"
#include "sim/formats/answer_types.hpp"
#include "validate/ratios/ratios.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// Mean errors over the ratios of a cluster, or over clusters.
struct RatioErrors {
  int ratios = 0;
  double cluster_file = 0;
  double held = 0;
  double as_shipped = 0;
  double held_as_shipped = 0;
  double linear = 0; ///< error of the rule that speed grows in proportion to the GPUs
};

/// Returns the means. The sum is divided once, so that a share of all is exactly 1.
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

/// Rows of the mean errors that `errors_of` finds in an owner.
template <class Owner, class ErrorsOf> std::vector<Field<Owner>> error_rows(ErrorsOf errors_of) {
  const auto row = [&](const char* name, double RatioErrors::*member, ValueType<double> type, const char* meaning) {
    return computed<Owner>(
        name, [=](const Owner& owner) { return errors_of(owner).*member; }, std::move(type), meaning);
  };
  const auto error = not_negative_type();
  const auto share = number_type(0, 1);
  return {
      computed<Owner>(
          "ratios", [=](const Owner& owner) { return errors_of(owner).ratios; }, number_of_things(),
          "that have an answer"),
      row("cluster_file", &RatioErrors::cluster_file, error, "mean error, before any measurement of the site"),
      row("held", &RatioErrors::held, share, "of the measured ratios that its interval holds"),
      row("as_shipped", &RatioErrors::as_shipped, error, "mean error with the cluster's calibration"),
      row("held_as_shipped", &RatioErrors::held_as_shipped, share, "of the measured ratios that its interval holds"),
      row("linear", &RatioErrors::linear, error, "mean error of growth in proportion to the GPUs")};
}

FieldTable<RatioErrors> mean_error_fields() {
  return {error_rows<RatioErrors>([](const RatioErrors& errors) { return errors; })};
}

FieldTable<ClusterErrors> cluster_error_fields() {
  FieldTable<ClusterErrors> table{error_rows<ClusterErrors>([](const ClusterErrors& one) { return one.errors; })};
  table.fields.push_back(required("cluster", &ClusterErrors::cluster, any_text_type(), "whose ratios these are"));
  return table;
}

FieldTable<Ratio> ratio_fields() {
  return {{required("times", &Ratio::times, positive_type(), "samples a second over those of the base"),
           required("low", &Ratio::low, positive_type(), "of its 90 % interval"),
           required("high", &Ratio::high, positive_type(), "of its 90 % interval")}};
}

/// The rows of what a source states.
std::vector<Field<PredictedRatio>> published_ratio_rows() {
  using One = PredictedRatio;
  const auto series = [](const One& one) { return one.record.head.series; };
  const auto is_suspect = [](const One& one) { return one.record.head.suspect; };
  const auto gpus = number_of_things(1);
  const auto of_record = [](auto member) { return within(&One::record, member); };
  return {required("cluster", &One::cluster, any_text_type(), "whose ratio it is"),
          computed<One>("series", series, any_text_type(), "the record's"),
          required("model", of_record(&SpeedUpRecord::model), any_text_type(), "that was trained"),
          required("base_gpus", of_record(&SpeedUpRecord::base_gpus), gpus, "of the base"),
          required("gpus", of_record(&SpeedUpRecord::gpus), gpus, "of the larger scale"),
          required("trust", of_record(&SpeedUpRecord::trust), word_type({"A", "B", "C"}), "class of the source"),
          required("measured", of_record(&SpeedUpRecord::speed_up), positive_type(), "the published ratio"),
          computed_where<One>(is_suspect, "suspect", is_suspect, boolean_type(), "the source itself doubts the figure"),
          optional("assumed", of_record(&SpeedUpRecord::assumed), text_map_type(), "what the source does not say")};
}

FieldTable<PredictedRatio> predicted_ratio_fields() {
  using One = PredictedRatio;
  const auto is_answered = [](const One& one) { return one.refusal.empty(); };
  FieldTable<One> table{published_ratio_rows()};
  add_to<One>(table.fields,
              {optional("refusal", &One::refusal, any_text_type(), "why there is no answer"),
               computed_where<One>(is_answered, "cluster_file", &One::from_cluster_file, object_type(ratio_fields()),
                                   "the answer before any measurement of the site"),
               computed_where<One>(is_answered, "as_shipped", &One::as_shipped, object_type(ratio_fields()),
                                   "the answer with the cluster's calibration")});
  return table;
}

struct RatiosDocument {
  std::vector<ClusterErrors> clusters;
  std::vector<PredictedRatio> ratios;
};

const FieldTable<RatiosDocument>& ratios_fields() {
  const auto mean = [](const RatiosDocument& all) { return mean_of(all.clusters); };
  static const auto table = document<RatiosDocument>(
      "ddlsim-ratios", 1,
      {computed<RatiosDocument>("mean", mean, object_type(mean_error_fields()), "of clusters"),
       required("by_cluster", &RatiosDocument::clusters, list_type(object_type(cluster_error_fields())),
                "of each cluster that has an answer"),
       required("ratios", &RatiosDocument::ratios, list_type(object_type(predicted_ratio_fields())),
                "one for each record")});
  return table;
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

FileFormat ratios_format() {
  return {"ratios", "Scores of speed-ups without a base rate",
          "What `ddlsim validate --ratios --json` prints; an error is |ln(predicted / measured)|",
          ratios_fields().shape(), true};
}

std::string ratios_json(const std::vector<PredictedRatio>& ratios) {
  return json_text(write_fields(ratios_fields(), {errors_by_cluster(ratios), ratios}), 1) + "\n";
}

} // namespace ddlsim
