#include "calibrate/data/fit_data.hpp"

#include "calibrate/data/data_checks.hpp"
#include "calibrate/data/transfer_series.hpp"
#include "sim/base/error.hpp"
#include "sim/compute/compute_priors.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/formats/stand_in_preset.hpp"
#include "sim/iteration/host_offload.hpp"
#include "sim/predict/read_back.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

namespace ddlsim {
namespace {

constexpr double least_noise = 0.004; ///< noise of ln time: clocks and data make two days differ by about this much

double noise_of(const SeriesPoint& point, const ModelConstants& constants) {
  if (point.relative_spread <= 0) return constants.unstated_noise;
  return std::max(least_noise, point.relative_spread / std::sqrt(std::max(1, point.repeats)));
}

[[noreturn]] void refuse(const Series& series, const std::string& why) {
  throw UserError(series.id, "", why);
}

/// Refuses series of model parallelism. Layouts differ in how much stages idle and how layers are cut, and one run
/// determines only one unknown.
void refuse_model_parallel(const Series& series) {
  if (is_model_parallel(series.strategy_name))
    refuse(series,
           "of model parallelism what one GPU takes is read back, run by run, when it is asked, and no parameter "
           "is fitted");
}

const Model& model_of(const ReferenceData& reference, const Series& series) {
  const auto model = reference.models.find(series.model);
  if (model == reference.models.end()) refuse(series, fmt::format("model {} has no layer table", series.model));
  return model->second;
}

const Cluster& cluster_of(const ReferenceData& reference, const Series& series) {
  const auto cluster = reference.clusters.find(series.cluster);
  if (cluster == reference.clusters.end())
    refuse(series, fmt::format("cluster {} has no cluster.json", series.cluster));
  if (series.device == "cpu" && !cluster->second.gpu.empty())
    refuse(series, "it was measured on a processor, and the cluster computes on GPUs");
  return cluster->second;
}

/// The preset of the series. A stack without a preset is fitted only if it all-reduces, because other records say too
/// little.
const Preset& preset_of(const ReferenceData& reference, const Series& series, std::shared_ptr<const Preset>& stand_in) {
  const auto& preset = preset_or_stand_in(reference.presets, series.preset, stand_in);
  const bool is_named = stand_in == nullptr && series.preset != unnamed_framework;
  if (!is_named && series.strategy_name != StrategyName::none &&
      family_of(series.strategy_name) != StrategyFamily::all_reduce)
    refuse(series, fmt::format("{} is no preset, so that what it does beside all-reduces is not known; name the one of "
                               "`ddlsim list presets` that it is like",
                               in_quotes(series.preset)));
  return preset;
}

const Transport& transport_of(const Cluster& cluster, const Preset& preset, const Series& series) {
  const auto* transport = transport_for(cluster, preset, series.transport);
  if (transport == nullptr)
    refuse(series, fmt::format("cluster {} has none of the transports of preset {}: {}", cluster.name, preset.name,
                               join_names(preset.transports)));
  return *transport;
}

DataPoint point_of(const SeriesPoint& point, const ModelConstants& constants) {
  return {point.gpus,   point.nodes, point.gpus_per_node, point.strategy, point.iteration_s, noise_of(point, constants),
          point.suspect};
}

/// The question that a person would ask to get the one-GPU time of that series.
ComputeQuestion compute_question(const Series& series, const Preset& preset, const Model& model, const Gpu& gpu) {
  ComputeQuestion question{model, gpu, series.precision, series.batch_per_gpu, one_gpu_preset(preset), series.name};
  question.has_update = !shares_update(series.strategy_name);
  if (!series.points.empty()) question.split = split_of(model, series.points.front().strategy);
  return question;
}

/// Throws UserError with one sentence that says why the simulator cannot time the series.
SeriesData fit_data_of(const ReferenceData& reference, const std::vector<Prior>& priors, const Series& series,
                       const OneGpuTimes& one_gpu_times) {
  refuse_model_parallel(series);
  if (const auto training = training_text(series.train, series.document_tokens); !training.empty())
    refuse(series, fmt::format("it trains with {}, from which nothing learns", training));
  const auto& model = model_of(reference, series);
  const auto& cluster = cluster_of(reference, series);
  std::shared_ptr<const Preset> stand_in;
  const auto& preset = preset_of(reference, series, stand_in);
  const auto& transport = transport_of(cluster, preset, series);
  Strategy strategy;
  strategy.name = series.strategy_name;
  if (!series.points.empty()) strategy = series.points.front().strategy;
  const Gpu& gpu = find_device(reference.gpus, series.gpu.empty() ? cluster.gpu : series.gpu);
  peak_flop_per_s(gpu, series.precision); // throws where the catalogue has no such rate
  const auto one_gpu = one_gpu_times.find(compute_question(series, preset, model, gpu));
  SeriesData fit_data{series.id,
                      series.strategy,
                      {transport.name, series.preset, series.precision, series.model, series.batch_per_gpu,
                       one_gpu.one_gpu_s, one_gpu.prior},
                      {model, gpu, cluster, preset, transport, strategy},
                      one_gpu.prior,
                      {},
                      {}};
  fit_data.stand_in = stand_in;
  auto& setup = fit_data.setup;
  setup.precision = series.precision;
  setup.wire_bytes_per_parameter = bytes_per_parameter(series.wire_precision);
  setup.batch_per_gpu = series.batch_per_gpu;
  setup.one_gpu_s = one_gpu.one_gpu_s;
  setup.fabrics = std::make_shared<PlacedFabrics>(cluster, transport, CoLocation{});
  fit_data.priors =
      priors_of_stack(with_compute_priors(priors_on(cluster, priors, setup.gpu.compute_capability), one_gpu),
                      fit_data.compute_prior, transport.name, preset);
  for (const auto& point : series.points) {
    if (point.nodes > 1 && transport.nic.empty()) continue;
    const bool is_base = point.gpus == 1 && one_gpu.own_series && !series.one_gpu_s;
    if (is_base) continue;
    const auto why = offload_complaint(model, cluster, point.strategy, point.gpus, point.gpus_per_node);
    if (!why.empty()) refuse(series, why);
    fit_data.points.push_back(point_of(point, reference.constants));
  }
  return fit_data;
}

bool borrows_steps(const Cluster& cluster, const std::string& from) {
  return std::any_of(cluster.borrows.begin(), cluster.borrows.end(), [&](const Borrow& borrow) {
    return borrow.cluster == from && std::count(borrow.kinds.begin(), borrow.kinds.end(), RecordKind::step) > 0;
  });
}

std::vector<StepRecord> steps_of(const MeasurementFile& file) {
  std::vector<StepRecord> steps;
  for (const auto& record : file.records)
    if (const auto* step = std::get_if<StepRecord>(&record)) steps.push_back(*step);
  return steps;
}

/// Adds a record, which notes the site of its cluster.
void add_of_site(StepRecord record, const ReferenceData& reference, const std::string& cluster,
                 std::vector<StepRecord>& pool) {
  const auto found = reference.clusters.find(cluster);
  record.site = found == reference.clusters.end() ? cluster : found->second.site;
  pool.push_back(std::move(record));
}

void append(const std::vector<StepRecord>& more, std::vector<StepRecord>& all) {
  all.insert(all.end(), more.begin(), more.end());
}

} // namespace

std::unique_ptr<const OneGpuTimes> one_gpu_times_of(const ReferenceData& reference, const Cluster& cluster,
                                                    const std::vector<MeasurementFile>& files) {
  std::vector<StepRecord> own;
  std::vector<StepRecord> borrowed;
  OtherClusterTimes others{{}, reference.gpus, {}, reference.kernels};
  for (const auto& name : reference.left_out_deviations) leave_out_deviation(others.deviations, name);
  for (const auto& [name, model] : reference.models) others.models.emplace(name, size_of(model));
  std::map<std::string, std::vector<StepRecord>> spread_on;
  for (const auto& file : files) {
    const auto& of = file.context.cluster;
    auto& pool = of == cluster.name ? own : borrows_steps(cluster, of) ? borrowed : others.records;
    for (const auto& record : file.records)
      if (const auto* step = std::get_if<StepRecord>(&record); step != nullptr && step->gpus == 1)
        add_of_site(*step, reference, of, pool);
      else if (step != nullptr && can_be_read_back(*step))
        spread_on[of].push_back(*step);
    if (of == cluster.name) append(read_back_pipelines(steps_of(file), cluster, reference), own);
  }
  others.read_back = [&reference, cluster, spread_on] { return read_back_elsewhere(spread_on, cluster, reference); };
  const auto unnamed_gpu = cluster.gpu.empty() ? unnamed_device().name : cluster.gpu;
  return std::make_unique<const OneGpuTimes>(unnamed_gpu, cluster.site, std::move(own), std::move(borrowed),
                                             std::move(others), reference.constants);
}

std::optional<SeriesData> series_data(const ReferenceData& reference, const std::vector<Prior>& priors,
                                      const Series& series, const OneGpuTimes& one_gpu_times) {
  try {
    return fit_data_of(reference, priors, series, one_gpu_times);
  } catch (const UserError&) {
    return {};
  }
}

StepSetup setup_at(const SeriesData& fit_data, const DataPoint& point) {
  StepSetup setup = fit_data.setup;
  setup.gpus = point.gpus;
  setup.gpus_per_node = point.gpus_per_node;
  setup.strategy = point.strategy;
  return setup;
}

double model_time_s(const SeriesData& fit_data, const DataPoint& point, const Parameters& sample) {
  return CachedStep(fit_data, point).time_s(sample);
}

namespace {

/// The clusters whose records of that kind are used, the cluster itself first.
std::vector<std::string> donors(const Cluster& cluster, RecordKind kind) {
  std::vector<std::string> names{cluster.name};
  for (const auto& borrow : cluster.borrows)
    if (std::count(borrow.kinds.begin(), borrow.kinds.end(), kind) > 0) names.push_back(borrow.cluster);
  return names;
}

/// Whether the series is of one GPU and has no preset. A single GPU does not synchronise, so its framework needs no
/// preset. Its time says nothing about the network, and is used as the one-GPU time of other series.
bool is_alone_without_preset(const ReferenceData& reference, const Series& series) {
  const bool has_preset =
      series.preset != unnamed_framework && preset_named(reference.presets, series.preset) != nullptr;
  return series.points.empty() && !has_preset;
}

void add_steps(const ReferenceData& reference, const std::string& from, const std::string& cluster,
               const std::vector<Prior>& priors, const std::vector<Series>& series,
               const std::vector<MeasurementFile>& files, SelectedFitData& selected) {
  const auto one_gpu_times = one_gpu_times_of(reference, reference.clusters.at(from), files);
  for (const auto& one : series) {
    if (one.cluster != from || is_alone_without_preset(reference, one)) continue;
    try {
      auto fit_data = fit_data_of(reference, priors, one, *one_gpu_times);
      fit_data.borrowed = from != cluster;
      if (fit_data.borrowed && fit_data.points.empty()) continue;
      if (!fit_data.borrowed && (fit_data.stand_in || one.preset == unnamed_framework))
        selected.excluded.push_back({one.id, std::string(no_preset_of_it) + stand_in_text(one.preset)});
      selected.fit_data.push_back(std::move(fit_data));
    } catch (const UserError& refusal) {
      selected.excluded.push_back({one.id, std::string(not_simulated) + refusal.mistakes().front().what});
    }
  }
}

/// The transfer series of that cluster from its records of one kind.
std::vector<SeriesData> transfer_series(const ReferenceData& reference, const std::vector<Prior>& priors,
                                        const Cluster& of, RecordKind kind, const std::vector<MeasurementFile>& files) {
  std::vector<MeasurementFile> records_of_kind;
  for (const auto& file : files) {
    if (file.context.cluster != of.name) continue;
    records_of_kind.push_back({file.file, file.context, {}});
    std::copy_if(file.records.begin(), file.records.end(), std::back_inserter(records_of_kind.back().records),
                 [&](const Record& record) { return kind_of(record) == kind; });
  }
  return kind == RecordKind::server ? server_series(reference, priors, of, records_of_kind)
                                    : collective_series(reference, priors, of, records_of_kind);
}

} // namespace

SelectedFitData select_fit_data(const ReferenceData& reference, const std::string& cluster,
                                const std::vector<Series>& series, const std::vector<MeasurementFile>& files) {
  const auto& own = reference.clusters.at(cluster);
  const auto priors = priors_for(reference.priors, own.site);
  SelectedFitData selected;
  for (const auto& from : donors(own, RecordKind::step))
    add_steps(reference, from, cluster, priors, series, files, selected);
  for (const auto kind : {RecordKind::collective, RecordKind::point_to_point, RecordKind::server})
    for (const auto& from : donors(own, kind))
      for (auto& one : transfer_series(reference, priors, reference.clusters.at(from), kind, files)) {
        one.borrowed = from != cluster;
        selected.fit_data.push_back(std::move(one));
      }
  return selected;
}

} // namespace ddlsim
