#include "platforms/tools/hidden_times.hpp"

#include "sim/base/table.hpp"
#include "sim/compute/compute_priors.hpp"
#include "sim/compute/one_gpu_rows.hpp"
#include "sim/predict/read_back.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ddlsim {
namespace {

constexpr double in_90_percent = 1.645; // standard deviations either side of a normal distribution's median

std::string site_group(const StepRecord& record) {
  return fmt::format("{} {} {} {}", record.site, record.head.gpu, record.preset, to_text(record.precision));
}

const Gpu* gpu_of(const ShippedTimes& shipped, const StepRecord& record) {
  const auto name = catalogue_name(shipped.catalogue.gpus, record.head.gpu);
  const auto found = std::find_if(shipped.catalogue.gpus.begin(), shipped.catalogue.gpus.end(),
                                  [&](const Gpu& gpu) { return gpu.name == name; });
  return found == shipped.catalogue.gpus.end() ? nullptr : &*found;
}

/// What a record is hidden with.
std::string group_of(const ShippedTimes& shipped, const StepRecord& record, Hidden hidden) {
  switch (hidden) {
  case Hidden::gpu:
    return record.head.gpu;
  case Hidden::architecture:
    return fmt::format("{}", gpu_of(shipped, record)->compute_capability);
  case Hidden::stack_on_gpu:
    return record.head.gpu + " " + record.preset;
  case Hidden::model:
    return site_group(record) + " " + record.model;
  case Hidden::batch:
    break;
  }
  return fmt::format("{} {} {:g}", site_group(record), record.model, record.batch_per_gpu);
}

/// Whether something of the site is known when the record is hidden, where `hidden` promises that.
bool has_others(const std::vector<StepRecord>& records, const StepRecord& record, Hidden hidden) {
  if (hidden != Hidden::model && hidden != Hidden::batch) return true;
  return std::any_of(records.begin(), records.end(), [&](const StepRecord& other) {
    if (site_group(other) != site_group(record)) return false;
    const bool same_model = other.model == record.model;
    return hidden == Hidden::model ? !same_model : same_model && other.batch_per_gpu != record.batch_per_gpu;
  });
}

/// The records that the estimator compares: the fastest of each kind.
std::vector<StepRecord> rows_of(const ShippedTimes& shipped) {
  WorkloadMaker maker(shipped.catalogue);
  std::vector<StepRecord> records;
  for (const auto& row : one_gpu_rows(maker, shipped.catalogue, shipped.records, Pool::reference, "", 0))
    records.push_back(*row.record);
  return records;
}

void ask(const ShippedTimes& shipped, const std::vector<const StepRecord*>& asked, const std::vector<StepRecord>& known,
         const std::string& group, std::vector<HiddenTime>& times) {
  std::map<std::string, std::vector<StepRecord>> own; // of the site asked
  for (const auto* record : asked) own[record->site];
  for (const auto& record : known)
    if (const auto site = own.find(record.site); site != own.end()) site->second.push_back(record);
  for (const auto& [site, of_site] : own) {
    auto others = shipped.catalogue;
    for (const auto& record : known)
      if (record.site != site) others.records.push_back(record);
    const OneGpuTimes estimator("", site, of_site, {}, std::move(others));
    for (const auto* record : asked) {
      if (record->site != site) continue;
      const auto model = std::find_if(shipped.models.begin(), shipped.models.end(),
                                      [&](const Model& one) { return one.name == record->model; });
      ComputeQuestion question{*model, *gpu_of(shipped, *record), record->precision, record->batch_per_gpu,
                               record->preset};
      question.has_update = record->optimizer;
      if (record->precision == Precision::fp32) {
        const auto tf32 = tf32_of(*record, question.gpu);
        question.matmul_tf32 = tf32.matmul;
        question.conv_tf32 = tf32.convolution;
      }
      const auto estimate = estimator.find(question);
      const bool attends = shipped.catalogue.models.at(record->model).attends;
      times.push_back({group, record->model, record->precision, attends, record->iteration_s, estimate.one_gpu_s,
                       width_of_estimate(estimate)});
    }
  }
}

double error_of(const HiddenTime& time) {
  return std::log(time.estimated_s / time.measured_s);
}

std::string kind_of(const HiddenTime& time) {
  const auto models = !time.attends ? "CNN and others" : time.model.starts_with("bert") ? "BERT" : "language model";
  const auto precision = has_16_bit_values(time.precision) ? "16 and 8 bits" : to_text(time.precision);
  return fmt::format("{}, {}", models, precision);
}

} // namespace

ShippedTimes read_shipped_times(const DataFolder& data) {
  const auto measured = read_measured_times(data);
  ShippedTimes shipped;
  shipped.catalogue = {{}, measured.gpus, measured.models, measured.kernels};
  for (const auto& name : list_models(data)) shipped.models.push_back(load_model(data, name));
  for (const auto& [cluster, records] : measured.of_clusters)
    for (auto record : records) {
      if (record.head.gpu.empty()) record.head.gpu = load_cluster(data, cluster).gpu;
      if (!has_server_elsewhere(record) && gpu_of(shipped, record) != nullptr)
        shipped.records.push_back(std::move(record));
    }
  const auto implied = read_back_elsewhere(measured.spread_on, Cluster{}, read_reference_data(data));
  shipped.records.insert(shipped.records.end(), implied.begin(), implied.end());
  for (auto& record : shipped.records) record.head.gpu = catalogue_name(measured.gpus, record.head.gpu);
  return shipped;
}

std::vector<HiddenTime> hide_each(const ShippedTimes& shipped, Hidden hidden) {
  const auto records = rows_of(shipped);
  std::map<std::string, std::vector<const StepRecord*>> groups;
  for (const auto& record : records)
    if (has_others(records, record, hidden)) groups[group_of(shipped, record, hidden)].push_back(&record);
  std::vector<HiddenTime> times;
  for (const auto& [group, asked] : groups) {
    std::vector<StepRecord> known;
    for (const auto& record : records)
      if (group_of(shipped, record, hidden) != group) known.push_back(record);
    ask(shipped, asked, known, group, times);
  }
  return times;
}

HiddenScore score_of(const std::vector<HiddenTime>& times) {
  HiddenScore score;
  score.times = static_cast<int>(times.size());
  const double share = times.empty() ? 0 : 1.0 / static_cast<double>(times.size());
  for (const auto& time : times) {
    const double error = error_of(time);
    score.mean += std::abs(error) * share;
    score.bias += error * share;
    score.worst = std::max(score.worst, std::abs(error));
    score.half_width += in_90_percent * time.width * share;
    if (std::abs(error) <= in_90_percent * time.width) score.held += share;
  }
  return score;
}

std::string to_text(const std::vector<HiddenTime>& times) {
  std::map<std::string, std::vector<HiddenTime>> kinds;
  for (const auto& time : times) kinds[kind_of(time)].push_back(time);
  std::vector<std::vector<std::string>> rows;
  for (const auto& [kind, of_kind] : kinds) {
    const auto score = score_of(of_kind);
    const auto percent = [](double share) { return fmt::format("{:.1f}", 100 * share); };
    rows.push_back({kind, fmt::format("{}", score.times), percent(score.mean), percent(score.worst),
                    percent(score.bias), fmt::format("{:.0f}", 100 * score.held),
                    fmt::format("{:.0f}", 100 * score.half_width)});
  }
  return to_table(
      {{"hidden times", Align::left}, {"times"}, {"mean %"}, {"worst %"}, {"bias %"}, {"held %"}, {"half-width %"}},
      rows);
}

} // namespace ddlsim
