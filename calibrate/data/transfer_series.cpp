#include "calibrate/data/transfer_series.hpp"

#include "calibrate/data/collective_data.hpp"
#include "sim/base/statistics.hpp"
#include "sim/collective/collective.hpp"
#include "sim/network/nic_rate.hpp"
#include "sim/predict/residual_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace ddlsim {
namespace {

/// The GPU of a transfer series, by which the library's rule decides what it can run.
const Gpu& gpu_of_transfers(const ReferenceData& reference, const Cluster& cluster) {
  const auto own = std::find_if(reference.gpus.begin(), reference.gpus.end(),
                                [&](const Gpu& gpu) { return gpu.name == cluster.gpu; });
  return own == reference.gpus.end() ? reference.gpus.front() : *own;
}

} // namespace

SeriesData empty_transfer_series(const ReferenceData& reference, const std::vector<Prior>& priors,
                                 const Cluster& cluster, const Transport& transport, const std::string& preset,
                                 Measured measured) {
  Strategy none;
  // A transfer benchmark has no layers and no gradient buckets. The first model and preset take their place and are
  // never read.
  const auto& model = reference.models.begin()->second;
  const auto& gpu = gpu_of_transfers(reference, cluster);
  SeriesData series{
      "",
      to_text(none.name),
      {transport.name, "", {}, "", 0},
      {model, gpu, cluster, reference.presets.front(), transport, none},
      "compute_measured",
      priors_of_fields(priors_on(cluster, priors, gpu.compute_capability), "compute_measured", transport.name, preset),
      {}};
  series.measured = measured;
  return series;
}

namespace {

constexpr const char* no_preset =
    "pytorch-ddp"; ///< preset whose priors and algorithms are used; a benchmark of all-reduces has no buckets
constexpr const char* message = "point_to_point";

/// The transport of the records. NCCL's tables of one node name no network because they use none, so they get the
/// cluster's first transport for NCCL.
const Transport* transport_of(const Cluster& cluster, const CollectiveKey& key) {
  if (key.transport != "unknown" || key.nodes != 1 || key.library != "nccl")
    return transport_named(cluster, key.transport);
  const auto& all = cluster.transports;
  const auto one = std::find_if(all.begin(), all.end(),
                                [](const Transport& each) { return carrier_of(each.name) == Carrier::nccl; });
  return one == all.end() ? nullptr : &*one;
}

bool usable(const CollectiveData& curve, const Cluster& cluster) {
  const auto* transport = transport_of(cluster, curve.key);
  if (transport == nullptr || curve.key.nodes < 1 || (curve.key.nodes > 1 && transport->nic.empty())) return false;
  if (curve.key.operation == message) return true;
  if (!collective_named(curve.key.operation)) return false;
  const bool known = curve.key.algorithm == "unknown" || value_named<Algorithm>(curve.key.algorithm).has_value();
  return known && curve.key.ranks > 1;
}

/// Whether a message was faster than the wire. It then went through a buffer or the burst of a traffic shaper, and does
/// not measure the wire.
bool beats_the_wire(const SeriesData& series, int nodes, const CollectiveSample& one) {
  const auto& setup = series.setup;
  if (nodes == 1) return false;
  return one.sample.size_bytes > one.sample.time_s * line_Bps(find_nic(setup.cluster, setup.transport.nic));
}

/// The error that tables of all-reduces leave unexplained at that size. In host memory sites differ tenfold (0.08 to
/// 0.93). There a prediction is as uncertain as the median of the sites, and a record counts with the noise of a
/// transfer.
double noise_of_all_reduce(const ModelConstants& constants, const SeriesData& series, const DataPoint& point,
                           const Parameters& median) {
  const auto setup = setup_at(series, point);
  const auto rules = library_rules_of(setup, median);
  if (rules.library.library != CollectiveLibrary::nccl) return constants.transfer_noise;
  return spread_at(all_reduce_process(constants, rules),
                   {point.gpus, point.nodes, point.size_bytes, latency_bandwidth_mix(setup, median, point.size_bytes)});
}

SeriesData series_of(const ReferenceData& reference, const std::vector<Prior>& priors, const Cluster& cluster,
                     const CollectiveData& curve, double least_bytes) {
  const bool is_message = curve.key.operation == message;
  auto series = empty_transfer_series(reference, priors, cluster, *transport_of(cluster, curve.key), no_preset,
                                      is_message ? Measured::message : *collective_named(curve.key.operation));
  series.id = curve_name(curve.key);
  if (!is_message) {
    series.setup.strategy.library = curve.version;
    series.setup.strategy.name = value_named<StrategyName>(curve.key.algorithm).value_or(StrategyName::all_reduce);
    series.strategy = to_text(series.setup.strategy.name);
  }
  const int per_node = (curve.key.ranks + curve.key.nodes - 1) / curve.key.nodes;
  const auto median = median_parameters(series.priors);
  for (const auto& sample : curve.samples) {
    if (sample.sample.size_bytes < least_bytes || (is_message && beats_the_wire(series, curve.key.nodes, sample)))
      continue;
    series.points.push_back({curve.key.ranks, curve.key.nodes, per_node, series.setup.strategy, sample.sample.time_s,
                             reference.constants.transfer_noise, false, sample.sample.size_bytes});
    if (!is_message)
      series.points.back().noise = noise_of_all_reduce(reference.constants, series, series.points.back(), median);
  }
  return series;
}

} // namespace

std::vector<SeriesData> collective_series(const ReferenceData& reference, const std::vector<Prior>& priors,
                                          const Cluster& cluster, const std::vector<MeasurementFile>& files,
                                          double least_bytes) {
  std::vector<SeriesData> all;
  for (const auto& curve : collective_data(files).curves) {
    if (!usable(curve, cluster)) continue;
    auto series = series_of(reference, priors, cluster, curve, least_bytes);
    if (!series.points.empty()) all.push_back(std::move(series));
  }
  return all;
}

namespace {

/// The key of the series that an exchange with a server belongs to.
struct ExchangeKey {
  std::string file;
  std::string series;
  std::string transport;
  std::string work; ///< "push", "pull" or "push-pull"
  int workers = 0;
  auto operator<=>(const ExchangeKey&) const = default;
};

struct Exchange {
  const ServerRecord* first = nullptr;
  std::map<double, std::vector<double>> times_s; ///< times by size
};

std::optional<Measured> work_of(const ServerRecord& record) {
  if (record.what == "push") return Measured::push;
  if (record.what == "pull") return Measured::pull;
  if (record.what == "push-pull") return Measured::push_pull;
  return {};
}

/// Bytes in and out of the server. The record's rate is these bytes over the time.
double bytes_of(const ServerRecord& record) {
  return record.size_bytes * record.workers * (record.what == "push-pull" ? 2 : 1);
}

bool usable(const ServerRecord& record, const Cluster& cluster) {
  const auto* transport = transport_named(cluster, record.head.transport);
  const bool apart = record.nodes == record.workers + 1 && transport != nullptr && !transport->nic.empty();
  return transport != nullptr && work_of(record) && record.workers > 0 && record.size_bytes >= least_transfer_bytes &&
         (record.nodes == 1 || apart) && !record.head.suspect;
}

std::map<ExchangeKey, Exchange> exchanges_of(const Cluster& cluster, const std::vector<MeasurementFile>& files) {
  std::map<ExchangeKey, Exchange> all;
  for (const auto& file : files) {
    for (const auto& record : file.records) {
      const auto* server = std::get_if<ServerRecord>(&record);
      if (server == nullptr || !usable(*server, cluster)) continue;
      auto& one =
          all[{file.file.stem().string(), server->head.series, server->head.transport, server->what, server->workers}];
      if (one.first == nullptr) one.first = server;
      one.times_s[server->size_bytes].push_back(bytes_of(*server) / server->rate_Bps);
    }
  }
  return all;
}

} // namespace

std::vector<SeriesData> server_series(const ReferenceData& reference, const std::vector<Prior>& priors,
                                      const Cluster& cluster, const std::vector<MeasurementFile>& files) {
  std::vector<SeriesData> all;
  for (const auto& [key, exchange] : exchanges_of(cluster, files)) {
    const auto& record = *exchange.first;
    auto series = empty_transfer_series(reference, priors, cluster, *transport_named(cluster, record.head.transport),
                                        "", *work_of(record));
    series.id = fmt::format("{}/{}/{}: {} of {} {} and one server", cluster.name, key.file, record.head.series,
                            record.what, record.workers, record.workers == 1 ? "worker" : "workers");
    const int per_node = record.nodes == 1 ? record.workers : 1;
    for (const auto& [size_bytes, times_s] : exchange.times_s)
      series.points.push_back({record.workers, record.nodes, per_node, series.setup.strategy, median(times_s),
                               reference.constants.transfer_noise, false, size_bytes});
    all.push_back(std::move(series));
  }
  return all;
}

} // namespace ddlsim
