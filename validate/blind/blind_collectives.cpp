#include "sim/base/statistics.hpp"
#include "validate/blind/blind.hpp"
#include "validate/collectives/size_tables.hpp"

#include <cmath>
#include <optional>

namespace ddlsim {
namespace {

/// Size below which latency dominates a collective, and above which the wire does.
constexpr double class_limit_bytes = 4 << 20;

std::string kind_of(const std::string& operation, bool small) {
  return operation + (small ? " below 4 MiB" : " from 4 MiB");
}

/// The records of each operation in the file, in alphabetical order of the operations.
std::map<std::string, MeasurementFile> by_operation(const MeasurementFile& file) {
  std::map<std::string, MeasurementFile> files;
  for (const auto& record : file.records) {
    const auto* collective = std::get_if<CollectiveRecord>(&record);
    if (collective == nullptr) continue;
    auto& own = files.emplace(collective->operation, MeasurementFile{file.file, file.context, {}}).first->second;
    own.records.push_back(record);
  }
  return files;
}

/// The predictions by `predict --collective`, in order of size. Records that it does not answer are refusals.
std::vector<BlindPoint> points_of_class(const MeasurementFile& file, const std::vector<UnseenCollective>& predicted,
                                        bool small) {
  const auto in_class = [&](double size_bytes) { return (size_bytes < class_limit_bytes) == small; };
  std::vector<BlindPoint> points;
  for (const auto& one : predicted)
    if (in_class(one.size_bytes))
      points.push_back(
          {one.table, one.measured_s, Forecast{one.predicted.s, one.predicted.s_low, one.predicted.s_high}});
  if (!predicted.empty()) return points;
  for (const auto& record : file.records) {
    const auto& collective = std::get<CollectiveRecord>(record);
    if (in_class(collective.size_bytes)) points.push_back({collective.head.series, collective.time_s, {}});
  }
  return points;
}

/// Mean error of a rule over the points: 2 (n - 1) / n of the bytes at the full rate of the path in the cluster file.
/// Nothing if the ranks are on several nodes.
std::optional<double> error_at_wire_rate(const Cluster& cluster, const std::vector<UnseenCollective>& predicted,
                                         bool small) {
  std::vector<double> errors;
  for (const auto& one : predicted) {
    if ((one.size_bytes < class_limit_bytes) != small) continue;
    if (one.nodes > 1 || cluster.intra.bandwidth_Bps <= 0) return {};
    const double wire_s = 2.0 * (one.ranks - 1) / one.ranks * one.size_bytes / cluster.intra.bandwidth_Bps;
    errors.push_back(std::abs(std::log(wire_s / one.measured_s)));
  }
  if (errors.empty()) return {};
  return mean(errors);
}

} // namespace

void score_collectives(const ReferenceData& reference, const MeasurementFile& file, std::vector<BlindScore>& scores) {
  for (const auto& [operation, own] : by_operation(file)) {
    const auto predicted = predict_unseen_collectives(reference, {own});
    for (const bool small : {true, false}) {
      const auto points = points_of_class(own, predicted, small);
      if (points.empty()) continue;
      scores.push_back(blind_score(kind_of(operation, small), BlindKnowledge::nothing, points));
      if (const auto error = error_at_wire_rate(reference.clusters.at(file.context.cluster), predicted, small))
        scores.back().baselines["wire rate"] = *error;
    }
  }
}

} // namespace ddlsim
