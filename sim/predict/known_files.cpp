#include "sim/predict/known_files.hpp"

#include "sim/base/error.hpp"
#include "sim/compute/measured_time.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/record.hpp"
#include "sim/predict/read_back.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace ddlsim {
namespace {

/// Refuses a series or a software that no record of the cluster names, which must be a typing error.
void check_named_records(const Scenario& scenario, const std::vector<StepRecord>& own) {
  std::set<std::string> series;
  bool has_software = scenario.software.empty();
  for (const auto& record : own) {
    series.insert(record.head.series);
    has_software = has_software || record.head.software.find(scenario.software) != std::string::npos;
  }
  if (!scenario.series.empty() && series.count(scenario.series) == 0) {
    const auto nearest = nearest_name(scenario.series, {series.begin(), series.end()});
    throw UserError(scenario.name, "/series",
                    fmt::format("{} has no series {}; {}", scenario.cluster, in_quotes(scenario.series),
                                nearest.empty() ? "name one of its records' series, or leave it out"
                                                : "did you mean " + nearest + "?"));
  }
  if (!has_software)
    throw UserError(scenario.name, "/software",
                    fmt::format("no record of {} names the software {}; leave it out, or give a part of what they say",
                                scenario.cluster, in_quotes(scenario.software)));
}

/// Refuses a framework that is neither a preset nor named in a record, which must be a typing error.
void check_stacks(const Scenario& scenario, const std::vector<StepRecord>& own, const std::vector<Preset>& presets) {
  for (const auto& strategy : scenario.strategies) {
    const auto name = scenario_with_preset_of(scenario, strategy).preset;
    const bool is_measured =
        std::any_of(own.begin(), own.end(), [&](const StepRecord& record) { return record.preset == name; });
    if (!is_measured) find_preset(presets, name);
  }
}

/// The step records of the cluster itself.
std::vector<StepRecord> own_steps(const Scenario& scenario, const DataFolder& data) {
  auto own = records_of<StepRecord>(read_cluster_measurements(data.platforms_of(scenario.cluster), scenario.cluster));
  check_named_records(scenario, own);
  check_stacks(scenario, own, load_presets(data));
  return own;
}

/// Loads the layer tables of these runs' models, where they exist.
void load_models_of(const std::vector<StepRecord>& runs, const DataFolder& data, ReferenceData& reference) {
  for (const auto& run : runs)
    if (reference.models.count(run.model) == 0 && std::filesystem::exists(data.model_file(run.model)))
      reference.models.emplace(run.model, load_model(data, run.model));
}

ReferenceData catalogue_of(const DataFolder& data) {
  return {load_gpus(data), load_presets(data), load_priors(data), {}, {}, load_kernel_rates(data)};
}

/// One-GPU records derived from the cluster's records of model parallelism (read_back_pipelines).
std::vector<StepRecord> read_back(const std::vector<StepRecord>& own, const Cluster& cluster, const DataFolder& data) {
  std::vector<StepRecord> pipelines;
  std::copy_if(own.begin(), own.end(), std::back_inserter(pipelines),
               [](const StepRecord& record) { return is_model_parallel(record.strategy.name); });
  if (pipelines.empty()) return {};
  auto reference = catalogue_of(data);
  load_models_of(pipelines, data, reference);
  return read_back_pipelines(pipelines, cluster, reference);
}

/// One-GPU records derived from runs on several GPUs of other sites.
std::vector<StepRecord> read_back_from_files(const std::map<std::string, std::vector<StepRecord>>& spread_on,
                                             const Cluster& cluster, const DataFolder& data) {
  auto reference = catalogue_of(data);
  for (const auto& [name, runs] : spread_on) {
    reference.clusters.emplace(name, load_cluster(data, name));
    load_models_of(runs, data, reference);
  }
  return read_back_elsewhere(spread_on, cluster, reference);
}

} // namespace

OneGpuReader::OneGpuReader(const DataFolder& data, const Cluster& cluster, std::vector<StepRecord> own,
                           const std::vector<StepRecord>& read_back, const MeasuredTimes* measured)
    : data_(data), cluster_(cluster), own_(std::move(own)), own_and_read_back_(own_),
      borrowed_(borrowed_steps(data, cluster)), measured_(measured) {
  own_and_read_back_.insert(own_and_read_back_.end(), read_back.begin(), read_back.end());
}

OneGpuEstimate OneGpuReader::find(const ComputeQuestion& question) {
  const auto unnamed_gpu = cluster_.gpu.empty() ? unnamed_device().name : cluster_.gpu;
  if (const auto measured =
          find_measured(question, own_and_read_back_, unnamed_gpu, ModelConstants{}.repeat_difference))
    return *measured;
  if (!all_) {
    if (measured_ == nullptr) read_ = read_measured_times(data_);
    const auto& measured = measured_ != nullptr ? *measured_ : read_;
    auto others = other_cluster_times(measured, cluster_);
    others.read_back = [this, &measured] { return read_back_from_files(measured.spread_on, cluster_, data_); };
    all_ = std::make_unique<OneGpuTimes>(unnamed_gpu, cluster_.site, own_and_read_back_, borrowed_, std::move(others));
  }
  return all_->find(question);
}

namespace {

/// Removes what does not apply to a cluster that differs from its file. A calibration describes the machine of the
/// file.
std::vector<std::string> forget_other_machine(std::optional<Calibration>& calibration, const Cluster& cluster,
                                              const DataFolder& data) {
  if (!calibration) return {};
  const auto sentence = forget_other_machine(*calibration, load_cluster(data, cluster.name), cluster);
  return sentence.empty() ? std::vector<std::string>{} : std::vector<std::string>{sentence};
}

std::unique_ptr<OneGpuReader> one_gpu_reader(std::vector<StepRecord> own, const Cluster& cluster,
                                             const DataFolder& data, const MeasuredTimes* measured) {
  const auto alone = read_back(own, cluster, data);
  return std::make_unique<OneGpuReader>(data, cluster, std::move(own), alone, measured);
}

/// Returns sentences on the parts of the cluster's file and of the calibration that have no effect, and removes these
/// parts from the calibration.
std::vector<std::string> warnings_of(const Cluster& cluster, std::optional<Calibration>& calibration,
                                     const DataFolder& data) {
  std::vector<std::string> warnings;
  for (const auto& note : cluster.notes)
    warnings.push_back(fmt::format("of {}'s cluster.json, {}", cluster.name, note));
  const auto forgotten = forget_other_machine(calibration, cluster, data);
  warnings.insert(warnings.end(), forgotten.begin(), forgotten.end());
  return warnings;
}

} // namespace

KnownFiles::KnownFiles(const Scenario& scenario, const DataFolder& data, const MeasuredTimes* measured)
    : KnownFiles(scenario, load_cluster(data, scenario.cluster), data, measured) {}

KnownFiles::KnownFiles(const Scenario& scenario, Cluster cluster, const DataFolder& data, const MeasuredTimes* measured)
    : model_(load_model(data, scenario.model)), cluster_(std::move(cluster)), gpus_(load_gpus(data)),
      presets_(load_presets(data)), priors_(load_priors(data)), calibration_(load_calibration(data, scenario.cluster)),
      inputs_(scenario.input_names == InputNames{} ? std::nullopt : std::optional(load_inputs(data))),
      warnings_(warnings_of(cluster_, calibration_, data)),
      one_gpu_(one_gpu_reader(own_steps(scenario, data), cluster_, data, measured)),
      knowledge_{cluster_,
                 gpus_,
                 presets_,
                 priors_,
                 calibration_ ? &*calibration_ : nullptr,
                 [this](const ComputeQuestion& question) { return one_gpu_->find(question); },
                 {},
                 inputs_ ? &*inputs_ : nullptr} {}

} // namespace ddlsim
