#include "calibrate/server_series.hpp"

#include "calibrate/bare_series.hpp"
#include "calibrate/statistics.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <tuple>

namespace ddlsim {
namespace {

/// What a series is of: file, its own name, transport, work, workers.
using Key = std::tuple<std::string, std::string, std::string, std::string, int>;

struct Exchange {
  const ServerRecord* first = nullptr;
  std::map<double, std::vector<double>> times_s; ///< by size
};

std::optional<Measured> work_of(const ServerRecord& record) {
  if (record.what == "push") return Measured::push;
  if (record.what == "pull") return Measured::pull;
  if (record.what == "push-pull") return Measured::push_pull;
  return {};
}

/// Bytes in and out of the server, of which the record's rate is made.
double bytes_of(const ServerRecord& record) {
  return record.size_bytes * record.workers * (record.what == "push-pull" ? 2 : 1);
}

bool usable(const ServerRecord& record, const Cluster& cluster) {
  const auto* transport = transport_named(cluster, record.head.transport);
  const bool apart = record.nodes == record.workers + 1 && transport != nullptr && !transport->nic.empty();
  return transport != nullptr && work_of(record) && record.workers > 0 && record.size_bytes >= least_bare_bytes &&
         (record.nodes == 1 || apart) && !record.head.suspect;
}

std::map<Key, Exchange> exchanges_of(const Cluster& cluster, const std::vector<MeasurementFile>& files) {
  std::map<Key, Exchange> all;
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

std::vector<SeriesEvidence> server_series(const Shelf& shelf, const std::vector<Prior>& priors, const Cluster& cluster,
                                          const std::vector<MeasurementFile>& files) {
  std::vector<SeriesEvidence> all;
  for (const auto& [key, exchange] : exchanges_of(cluster, files)) {
    const auto& record = *exchange.first;
    auto series = empty_bare_series(shelf, priors, cluster, *transport_named(cluster, record.head.transport), "",
                                    *work_of(record));
    series.id = fmt::format("{}/{}/{}: {} of {} {} and one server", cluster.name, std::get<0>(key), record.head.series,
                            record.what, record.workers, record.workers == 1 ? "worker" : "workers");
    const int per_node = record.nodes == 1 ? record.workers : 1;
    for (const auto& [size_bytes, times_s] : exchange.times_s)
      series.points.push_back({record.workers, record.nodes, per_node, series.setup.strategy, median(times_s),
                               bare_noise, false, size_bytes});
    all.push_back(std::move(series));
  }
  return all;
}

} // namespace ddlsim
