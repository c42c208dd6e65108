#include "calibrate/data/fit_data.hpp"

#include "calibrate/data/data_conflicts.hpp"
#include "calibrate/data/transfer_series.hpp"
#include "calibrate/data/step_at_scale.hpp"
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
const Gpu& gpu_of(const Shelf& shelf, const Series& series, const Cluster& cluster) {
  const std::string& said = series.gpu.empty() ? cluster.gpu : series.gpu;
  if (said.empty() && one_gpu_time(series)) return find_gpu(shelf.gpus, shape_stand_in);
  return find_gpu(shelf.gpus, said);
}

EvidencePoint point_of(const SeriesPoint& point) {
  return {point.gpus,        point.nodes,     point.gpus_per_node, point.strategy,
          point.iteration_s, noise_of(point), point.suspect};
}

/// The one-GPU time that makes the median world pass through the smallest scale, by bisection in the logarithm.
double one_gpu_behind(const SeriesEvidence& evidence) {
  const auto& base = evidence.points.front();
  StepSetup setup = setup_at(evidence, base);
  StepMemory memory;
  Parameters median;
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k) median.*fields[k].value = evidence.priors[k].median;
  double low_s = 1e-3 * base.measured_s;
  double high_s = base.measured_s;
  constexpr int halvings = 40;
  for (int i = 0; i < halvings; ++i) {
    setup.one_gpu_s = std::sqrt(low_s * high_s);
    const double time_s = time_step(setup, median, Fidelity::quick, memory).iteration_s;
    (time_s < base.measured_s ? low_s : high_s) = setup.one_gpu_s;
  }
  return high_s;
}

void set_base(SeriesEvidence& evidence, const Series& series) {
  if (series.one_gpu_s) {
    evidence.setup.one_gpu_s = *series.one_gpu_s;
  } else if (const auto with = one_gpu_time(series)) {
    evidence.setup.one_gpu_s = *with;
    std::erase_if(evidence.points, [](const EvidencePoint& point) { return point.gpus == 1; });
  } else if (!evidence.points.empty()) {
    evidence.setup.one_gpu_s = one_gpu_behind(evidence);
  } else {
    const auto& setup = evidence.setup;
    evidence.setup.one_gpu_s = roofline_iteration_s(setup.model, setup.gpu, setup.precision, setup.batch_per_gpu);
  }
}

SeriesEvidence evidence_of(const Shelf& shelf, const std::vector<Prior>& priors, const Series& series,
                           const Model& model, const Cluster& cluster) {
  Strategy strategy;
  strategy.name = series.strategy;
  if (!series.points.empty()) strategy = series.points.front().strategy;
  const auto& preset = preset_of(shelf, series.preset, strategy);
  const auto transport = transport_of(cluster, preset, series.transport);
  SeriesEvidence evidence{series.id,
                          series.strategy,
                          {transport.name, series.preset, series.precision, series.model, series.batch_per_gpu},
                          {model, gpu_of(shelf, series, cluster), cluster, preset, transport, strategy},
                          one_gpu_time(series) ? "compute_measured" : "compute_roofline",
                          {},
                          {}};
  auto& setup = evidence.setup;
  setup.precision = series.precision;
  setup.wire_bytes_per_parameter = bytes_per_parameter(series.wire_precision);
  setup.batch_per_gpu = series.batch_per_gpu;
  evidence.priors = priors_of_fields(priors_on(cluster, priors), evidence.compute_prior, transport.name, preset.name);
  for (const auto& point : series.points) {
    if (!can_simulate(point.strategy) || (point.nodes > 1 && cluster.nics.empty())) continue;
    evidence.points.push_back(point_of(point));
  }
  set_base(evidence, series);
  return evidence;
}

} // namespace

std::optional<SeriesEvidence> series_evidence(const Shelf& shelf, const std::vector<Prior>& priors,
                                              const Series& series) {
  const auto model = shelf.models.find(series.model);
  const auto cluster = shelf.clusters.find(series.cluster);
  if (model == shelf.models.end() || cluster == shelf.clusters.end()) return {};
  try {
    return evidence_of(shelf, priors, series, model->second, cluster->second);
  } catch (const UserError&) {
    return {}; // a GPU or a precision that the catalogue does not have
  }
}

StepSetup setup_at(const SeriesEvidence& evidence, const EvidencePoint& point) {
  StepSetup setup = evidence.setup;
  setup.gpus = point.gpus;
  setup.gpus_per_node = point.gpus_per_node;
  setup.strategy = point.strategy;
  return setup;
}

double model_time_s(const SeriesEvidence& evidence, const EvidencePoint& point, const Parameters& world) {
  return ScaleModel(evidence, point).time_s(world);
}

namespace {

/// Whose records of that kind count, the cluster itself first.
std::vector<std::string> lenders(const Cluster& cluster, const std::string& kind) {
  std::vector<std::string> names{cluster.name};
  for (const auto& borrow : cluster.borrows)
    if (std::count(borrow.kinds.begin(), borrow.kinds.end(), kind) > 0) names.push_back(borrow.cluster);
  return names;
}

void add_steps(const Shelf& shelf, const std::string& from, const std::string& cluster,
               const std::vector<Prior>& priors, const std::vector<Series>& series, Gathered& gathered) {
  for (const auto& one : series) {
    if (one.cluster != from) continue;
    auto evidence = series_evidence(shelf, priors, one);
    if (!evidence) {
      gathered.set_aside.push_back({one.id, "the simulator cannot time it: no layer table of the model, or a GPU or "
                                            "precision that the catalogue does not have"});
      continue;
    }
    evidence->borrowed = from != cluster;
    if (!evidence->borrowed || !evidence->points.empty()) gathered.evidence.push_back(std::move(*evidence));
  }
}

/// What that cluster's records of one kind say of transfers alone.
std::vector<SeriesEvidence> bare_series(const Shelf& shelf, const std::vector<Prior>& priors, const Cluster& of,
                                        const std::string& kind, const std::vector<MeasurementFile>& files) {
  std::vector<MeasurementFile> theirs;
  for (const auto& file : files) {
    if (file.context.cluster != of.name) continue;
    theirs.push_back({file.file, file.context, {}});
    std::copy_if(file.records.begin(), file.records.end(), std::back_inserter(theirs.back().records),
                 [&](const Record& record) { return kind_of(record) == kind; });
  }
  return kind == "server" ? server_series(shelf, priors, of, theirs) : collective_series(shelf, priors, of, theirs);
}

} // namespace

Gathered gather(const Shelf& shelf, const std::string& cluster, const std::vector<Series>& series,
                const std::vector<MeasurementFile>& files) {
  const auto& own = shelf.clusters.at(cluster);
  const auto priors = priors_without(shelf.priors, cluster);
  Gathered gathered;
  for (const auto& from : lenders(own, "step")) add_steps(shelf, from, cluster, priors, series, gathered);
  const auto contradictions = same_on_two_fabrics(series, shelf);
  for (auto& one : gathered.evidence) {
    const auto told = contradictions.find(one.id);
    if (told == contradictions.end()) continue;
    one.set_aside = told->second;
    gathered.set_aside.push_back({one.id, told->second});
  }
  for (const char* kind : {"collective", "point_to_point", "server"})
    for (const auto& from : lenders(own, kind))
      for (auto& one : bare_series(shelf, priors, shelf.clusters.at(from), kind, files)) {
        one.borrowed = from != cluster;
        gathered.evidence.push_back(std::move(one));
      }
  return gathered;
}

} // namespace ddlsim
