#include "calibrate/collective_series.hpp"

#include "calibrate/bare_series.hpp"
#include "calibrate/collective_evidence.hpp"
#include "sim/collective/all_reduce.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

constexpr const char* no_preset = "pytorch-ddp"; ///< lends its priors and choices; a bare all-reduce has no grouping
constexpr const char* message = "point_to_point";

/// The records' own; for NCCL's tables of one node, which name no network because they use none, the cluster's first
/// that NCCL has.
const Transport* transport_of(const Cluster& cluster, const CollectiveKey& key) {
  if (key.transport != "unknown" || key.nodes != 1 || key.library != "nccl")
    return transport_named(cluster, key.transport);
  const auto& all = cluster.transports;
  const auto one =
      std::find_if(all.begin(), all.end(), [](const Transport& each) { return each.name.starts_with("nccl"); });
  return one == all.end() ? nullptr : &*one;
}

bool usable(const CollectiveEvidence& curve, const Cluster& cluster) {
  const auto* transport = transport_of(cluster, curve.key);
  if (transport == nullptr || curve.key.nodes < 1 || (curve.key.nodes > 1 && transport->nic.empty())) return false;
  if (curve.key.operation == message) return true;
  const bool known = curve.key.algorithm == "unknown" || algorithm_named(curve.key.algorithm).has_value();
  return curve.key.operation == "all_reduce" && known && curve.key.ranks > 1;
}

/// A message that came sooner than the wire sends: it went through a shaper's burst or a buffer, and says nothing of
/// the wire.
bool beats_the_wire(const SeriesEvidence& series, int nodes, const CollectiveSample& one) {
  const auto& setup = series.setup;
  if (nodes == 1) return false;
  const auto& nic = find_nic(setup.cluster, setup.transport.nic);
  return one.sample.size_bytes > one.sample.time_s * nic.bandwidth_Bps * nic.count;
}

SeriesEvidence series_of(const Shelf& shelf, const std::vector<Prior>& priors, const Cluster& cluster,
                         const CollectiveEvidence& curve) {
  const bool is_message = curve.key.operation == message;
  auto series = empty_bare_series(shelf, priors, cluster, *transport_of(cluster, curve.key), no_preset,
                                  is_message ? Measured::message : Measured::all_reduce);
  series.id = curve_name(curve.key);
  if (!is_message) {
    series.strategy = curve.key.algorithm == "unknown" ? "all-reduce" : curve.key.algorithm;
    series.setup.strategy.name = series.strategy;
  }
  const int per_node = (curve.key.ranks + curve.key.nodes - 1) / curve.key.nodes;
  for (const auto& sample : curve.samples) {
    if (sample.sample.size_bytes < least_bare_bytes || (is_message && beats_the_wire(series, curve.key.nodes, sample)))
      continue;
    series.points.push_back({curve.key.ranks, curve.key.nodes, per_node, series.setup.strategy, sample.sample.time_s,
                             bare_noise, false, sample.sample.size_bytes});
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
