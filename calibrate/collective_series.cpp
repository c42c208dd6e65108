#include "calibrate/collective_series.hpp"

#include "calibrate/collective_evidence.hpp"
#include "sim/collective/all_reduce.hpp"
#include "sim/files/error.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

constexpr double least_bytes = 16 * 1024; ///< below, protocols of their own (LL) that training's groups do not use
constexpr double law_noise = 0.12;
constexpr const char* no_preset = "pytorch-ddp"; ///< lends its priors; a bare collective has no grouping

const Transport* transport_named(const Cluster& cluster, const std::string& name) {
  for (const auto& transport : cluster.transports)
    if (transport.name == name) return &transport;
  return nullptr;
}

bool usable(const CollectiveEvidence& curve, const Cluster& cluster) {
  const auto* transport = transport_named(cluster, curve.key.transport);
  const bool known = curve.key.algorithm == "unknown" || algorithm_named(curve.key.algorithm).has_value();
  return curve.key.operation == "all_reduce" && transport != nullptr && known && curve.key.ranks > 1 &&
         curve.key.nodes > 0 && (curve.key.nodes == 1 || !transport->nic.empty());
}

SeriesEvidence series_of(const Shelf& shelf, const std::vector<Prior>& priors, const Cluster& cluster,
                         const CollectiveEvidence& curve) {
  Strategy strategy;
  strategy.name = curve.key.algorithm == "unknown" ? "all-reduce" : curve.key.algorithm;
  const auto& preset = find_preset(shelf.presets, no_preset);
  const auto& model = shelf.models.begin()->second; // never looked at: a bare collective has no layers
  const auto& gpu = cluster.gpu.empty() ? shelf.gpus.front() : find_gpu(shelf.gpus, cluster.gpu);
  const auto transport = *transport_named(cluster, curve.key.transport);
  SeriesEvidence series{curve_name(curve.key),
                        strategy.name,
                        {transport.name, "", "", "", 0},
                        {model, gpu, cluster, preset, transport, strategy},
                        "compute_measured",
                        priors_of_fields(priors_on(cluster, priors), "compute_measured", transport.name, preset.name),
                        {}};
  const int per_node = (curve.key.ranks + curve.key.nodes - 1) / curve.key.nodes;
  for (const auto& sample : curve.samples) {
    if (sample.sample.size_bytes < least_bytes) continue;
    series.points.push_back({curve.key.ranks, curve.key.nodes, per_node, strategy, sample.sample.time_s, law_noise,
                             false, sample.sample.size_bytes});
  }
  return series;
}

} // namespace

std::vector<SeriesEvidence> collective_series(const Shelf& shelf, const std::vector<Prior>& priors,
                                              const Cluster& cluster, const std::vector<MeasurementFile>& files) {
  std::vector<SeriesEvidence> all;
  for (const auto& curve : collective_evidence(files).curves) {
    if (!usable(curve, cluster)) continue;
    auto series = series_of(shelf, priors, cluster, curve);
    if (!series.points.empty()) all.push_back(std::move(series));
  }
  return all;
}

} // namespace ddlsim
