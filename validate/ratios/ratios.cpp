#include "validate/ratios/ratios.hpp"

#include "calibrate/data/fit_data.hpp"
#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/iteration/step.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/interval.hpp"
#include "validate/methods/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <system_error>

namespace ddlsim {
namespace {

/// One of the two scales: its prediction, its samples, and the factor from a sample's time to the predicted one.
struct RatioSide {
  PredictedPoint point;
  std::vector<double> mechanism_s;
  double to_number = 1;
};

RatioSide side_of(const Curve& curve, int gpus) {
  RatioSide side;
  side.point = predict_point(curve, gpus, Fidelity::by_default).point;
  if (!side.point.error.empty()) throw UserError(curve.setup.cluster.name, "", side.point.error);
  side.mechanism_s = mechanism_times(curve, gpus);
  auto likeliest = curve.median;
  likeliest.model_discrepancy = 1;
  const double by_formula_s = time_step(at_scale(curve, gpus), likeliest, Fidelity::formula).iteration_s;
  side.to_number = side.point.iteration_s / by_formula_s;
  return side;
}

/// The scenario whose two rows are the scales of the record: the larger scale as the validation asks for it, and the
/// base.
Scenario ratio_scenario(const SpeedUpRecord& record, const Cluster& cluster) {
  Series series;
  series.id = cluster.name;
  series.cluster = cluster.name;
  series.model = record.model;
  series.batch_per_gpu = record.batch_per_gpu;
  series.precision = record.precision;
  series.wire_precision = record.wire_precision;
  series.gpu = record.head.gpu;
  series.preset = record.preset;
  series.transport = record.head.transport;
  auto scenario =
      scenario_of(Question{series, record.gpus, record.nodes, record.gpus_per_node, record.strategy}, cluster);
  scenario.gpus = {record.base_gpus, record.gpus};
  return scenario;
}

/// The knowledge about a cluster behind one of the two predictions.
struct RatioKnowledge {
  ReferenceData reference;
  std::optional<Calibration> calibration;
  std::unique_ptr<const OneGpuTimes> one_gpu_times;

  RatioKnowledge(ReferenceData all, const std::string& cluster, std::optional<Calibration> calibrated,
                 const std::vector<MeasurementFile>& measured)
      : reference(std::move(all)), calibration(std::move(calibrated)),
        one_gpu_times(one_gpu_times_of(reference, reference.clusters.at(cluster), measured)) {}

  Ratio answer(const SpeedUpRecord& record, const std::string& name) const {
    const auto& cluster = reference.clusters.at(name);
    const auto model = reference.models.find(record.model);
    if (model == reference.models.end())
      throw UserError(record.model, "", fmt::format("model {} has no layer table", record.model));
    const auto scenario = ratio_scenario(record, cluster);
    const Knowledge known{cluster,
                          reference.gpus,
                          reference.presets,
                          reference.priors,
                          calibration ? &*calibration : nullptr,
                          [this](const ComputeQuestion& question) { return one_gpu_times->find(question); },
                          reference.constants};
    auto curve = make_curve(scenario, scenario.strategies.front(), model->second, known);
    curve.has_run = true;
    return predict_ratio(curve, record.base_gpus, record.gpus);
  }
};

std::map<std::string, std::vector<SpeedUpRecord>> ratios_by_cluster(const std::vector<MeasurementFile>& files) {
  std::map<std::string, std::vector<SpeedUpRecord>> sorted;
  for (const auto& file : files)
    for (const auto& record : file.records)
      if (const auto* one = std::get_if<SpeedUpRecord>(&record)) sorted[file.context.cluster].push_back(*one);
  return sorted;
}

} // namespace

Ratio predict_ratio(const Curve& curve, int base_gpus, int gpus) {
  const auto base = side_of(curve, base_gpus);
  const auto scale = side_of(curve, gpus);
  const double ratio = scale.point.samples_per_s / base.point.samples_per_s;
  const double ln_shift = std::log(static_cast<double>(gpus) / base_gpus) + std::log(base.to_number / scale.to_number);
  std::vector<double> ln_ratios;
  for (std::size_t i = 0; i < std::min(base.mechanism_s.size(), scale.mechanism_s.size()); ++i)
    ln_ratios.push_back(ln_shift + std::log(base.mechanism_s[i] / scale.mechanism_s[i]));
  const double spread = std::hypot(spread_at(curve, gpus), model_error_at(curve, base_gpus).noise);
  return {ratio, std::min(ratio, std::exp(quantile_of_normals(ln_ratios, spread, low_tail))),
          std::max(ratio, std::exp(quantile_of_normals(ln_ratios, spread, high_tail)))};
}

std::vector<PredictedRatio> predict_ratios(const ReferenceData& reference, const CalibrationOf& calibration_of,
                                           const std::vector<MeasurementFile>& measured,
                                           const std::vector<MeasurementFile>& ratios) {
  std::vector<PredictedRatio> all;
  for (const auto& [cluster, records] : ratios_by_cluster(ratios)) {
    const bool known = reference.clusters.count(cluster) > 0;
    std::optional<RatioKnowledge> unseen, shipped;
    if (known) {
      unseen.emplace(without_site(reference, cluster), cluster, std::nullopt, measured);
      shipped.emplace(reference, cluster, calibration_of(cluster), measured);
    }
    for (const auto& record : records) {
      all.push_back({cluster, record, {}, {}, known ? "" : "the cluster has no cluster.json"});
      if (!known) continue;
      try {
        all.back().from_cluster_file = unseen->answer(record, cluster);
        all.back().as_shipped = shipped->answer(record, cluster);
      } catch (const UserError& error) {
        all.back().refusal = error.mistakes().front().what;
      }
    }
  }
  return all;
}

std::vector<MeasurementFile> read_ratios(const DataFolder& data) {
  std::vector<MeasurementFile> read;
  for (const auto& cluster : list_clusters(data)) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (std::filesystem::directory_iterator it(data.platforms_of(cluster) / cluster / "ratios", error), end;
         !error && it != end; it.increment(error))
      if (it->path().extension() == ".jsonl") files.push_back(it->path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) read.push_back(read_measurements(file));
  }
  return read;
}

double ratio_error(const Ratio& predicted, const SpeedUpRecord& record) {
  return std::abs(std::log(predicted.times / record.speed_up));
}

bool holds(const Ratio& predicted, const SpeedUpRecord& record) {
  return record.speed_up >= predicted.low && record.speed_up <= predicted.high;
}

} // namespace ddlsim
