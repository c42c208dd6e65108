#include "calibrate/data/fit_data.hpp"

#include "calibrate/data/data_checks.hpp"
#include "calibrate/data/transfer_series.hpp"
#include "sim/base/error.hpp"
#include "sim/compute/layer_times.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr const char* shape_stand_in = "V100-SXM2-16GB";
constexpr double least_noise = 0.004; ///< clocks and data differ by that much between two days
constexpr double unstated_noise =
    0.015; ///< run-to-run deviation of published rates, DLPerf and ddl-benchmarks: 0.1-3 %
constexpr double suspect_noise = 0.06;

double noise_of(const SeriesPoint& point) {
  if (point.suspect) return suspect_noise;
  if (point.relative_spread <= 0) return unstated_noise;
  return std::max(least_noise, point.relative_spread / std::sqrt(std::max(1, point.repeats)));
}

/// A series that does not name its GPU but has a one-GPU time needs a device only for the shape of backward; any
/// CNN-era card gives it.
const Gpu& gpu_of(const ReferenceData& reference, const Series& series, const Cluster& cluster) {
  const std::string& stated = series.gpu.empty() ? cluster.gpu : series.gpu;
  if (stated.empty() && one_gpu_time(series)) return find_gpu(reference.gpus, shape_stand_in);
  return find_gpu(reference.gpus, stated);
}

DataPoint point_of(const SeriesPoint& point) {
  return {point.gpus,        point.nodes,     point.gpus_per_node, point.strategy,
          point.iteration_s, noise_of(point), point.suspect};
}

/// The one-GPU time that makes the median sample pass through the smallest scale, by bisection in the logarithm.
double one_gpu_behind(const SeriesData& fit_data) {
  const auto& base = fit_data.points.front();
  StepSetup setup = setup_at(fit_data, base);
  StepCache memory;
  Parameters median;
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k) median.*fields[k].value = fit_data.priors[k].median;
  double low_s = 1e-3 * base.measured_s;
  double high_s = base.measured_s;
  constexpr int halvings = 40;
  for (int i = 0; i < halvings; ++i) {
    setup.one_gpu_s = std::sqrt(low_s * high_s);
    const double time_s = time_step(setup, median, Fidelity::screening, memory).iteration_s;
    (time_s < base.measured_s ? low_s : high_s) = setup.one_gpu_s;
  }
  return high_s;
}

void set_base(SeriesData& fit_data, const Series& series) {
  if (series.one_gpu_s) {
    fit_data.setup.one_gpu_s = *series.one_gpu_s;
  } else if (const auto with = one_gpu_time(series)) {
    fit_data.setup.one_gpu_s = *with;
    std::erase_if(fit_data.points, [](const DataPoint& point) { return point.gpus == 1; });
  } else if (!fit_data.points.empty()) {
    fit_data.setup.one_gpu_s = one_gpu_behind(fit_data);
  } else {
    const auto& setup = fit_data.setup;
    fit_data.setup.one_gpu_s = roofline_iteration_s(setup.model, setup.gpu, setup.precision, setup.batch_per_gpu);
  }
}

SeriesData fit_data_of(const ReferenceData& reference, const std::vector<Prior>& priors, const Series& series,
                       const Model& model, const Cluster& cluster) {
  Strategy strategy;
  strategy.name = series.strategy_name;
  if (!series.points.empty()) strategy = series.points.front().strategy;
  const auto& preset = preset_of(reference, series.preset, strategy);
  const auto transport = transport_of(cluster, preset, series.transport);
  SeriesData fit_data{series.id,
                      series.strategy,
                      {transport.name, series.preset, series.precision, series.model, series.batch_per_gpu},
                      {model, gpu_of(reference, series, cluster), cluster, preset, transport, strategy},
                      one_gpu_time(series) ? "compute_measured" : "compute_roofline",
                      {},
                      {}};
  auto& setup = fit_data.setup;
  setup.precision = series.precision;
  setup.wire_bytes_per_parameter = bytes_per_parameter(series.wire_precision);
  setup.batch_per_gpu = series.batch_per_gpu;
  fit_data.priors = priors_of_fields(priors_on(cluster, priors), fit_data.compute_prior, transport.name, preset.name);
  for (const auto& point : series.points) {
    if (point.nodes > 1 && cluster.nics.empty()) continue;
    fit_data.points.push_back(point_of(point));
  }
  set_base(fit_data, series);
  return fit_data;
}

} // namespace

std::optional<SeriesData> series_data(const ReferenceData& reference, const std::vector<Prior>& priors,
                                      const Series& series) {
  const auto model = reference.models.find(series.model);
  const auto cluster = reference.clusters.find(series.cluster);
  if (model == reference.models.end() || cluster == reference.clusters.end()) return {};
  if (series.device == "cpu" && !cluster->second.gpu.empty()) return {};
  try {
    return fit_data_of(reference, priors, series, model->second, cluster->second);
  } catch (const UserError&) {
    return {}; // a GPU or a precision that the catalogue does not have
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

/// Whose records of that kind count, the cluster itself first.
std::vector<std::string> donors(const Cluster& cluster, RecordKind kind) {
  std::vector<std::string> names{cluster.name};
  for (const auto& borrow : cluster.borrows)
    if (std::count(borrow.kinds.begin(), borrow.kinds.end(), kind) > 0) names.push_back(borrow.cluster);
  return names;
}

void add_steps(const ReferenceData& reference, const std::string& from, const std::string& cluster,
               const std::vector<Prior>& priors, const std::vector<Series>& series, SelectedFitData& selected) {
  for (const auto& one : series) {
    if (one.cluster != from) continue;
    auto fit_data = series_data(reference, priors, one);
    if (!fit_data) {
      selected.excluded.push_back({one.id, "the simulator cannot time it: no layer table of the model, a GPU or "
                                           "precision that the catalogue does not have, or it was measured on a "
                                           "processor of a cluster of GPUs"});
      continue;
    }
    fit_data->borrowed = from != cluster;
    if (!fit_data->borrowed || !fit_data->points.empty()) selected.fit_data.push_back(std::move(*fit_data));
  }
}

/// Transfer series of that cluster's records of one kind.
std::vector<SeriesData> transfer_series(const ReferenceData& reference, const std::vector<Prior>& priors,
                                        const Cluster& of, RecordKind kind, const std::vector<MeasurementFile>& files) {
  std::vector<MeasurementFile> theirs;
  for (const auto& file : files) {
    if (file.context.cluster != of.name) continue;
    theirs.push_back({file.file, file.context, {}});
    std::copy_if(file.records.begin(), file.records.end(), std::back_inserter(theirs.back().records),
                 [&](const Record& record) { return kind_of(record) == kind; });
  }
  return kind == RecordKind::server ? server_series(reference, priors, of, theirs)
                                    : collective_series(reference, priors, of, theirs);
}

} // namespace

SelectedFitData select_fit_data(const ReferenceData& reference, const std::string& cluster,
                                const std::vector<Series>& series, const std::vector<MeasurementFile>& files) {
  const auto& own = reference.clusters.at(cluster);
  const auto priors = priors_without(reference.priors, cluster);
  SelectedFitData selected;
  for (const auto& from : donors(own, RecordKind::step)) add_steps(reference, from, cluster, priors, series, selected);
  const auto conflicts = same_on_two_fabrics(series, reference);
  for (auto& one : selected.fit_data) {
    const auto reported = conflicts.find(one.id);
    if (reported == conflicts.end()) continue;
    one.excluded = reported->second;
    selected.excluded.push_back({one.id, reported->second});
  }
  for (const auto kind : {RecordKind::collective, RecordKind::point_to_point, RecordKind::server})
    for (const auto& from : donors(own, kind))
      for (auto& one : transfer_series(reference, priors, reference.clusters.at(from), kind, files)) {
        one.borrowed = from != cluster;
        selected.fit_data.push_back(std::move(one));
      }
  return selected;
}

} // namespace ddlsim
