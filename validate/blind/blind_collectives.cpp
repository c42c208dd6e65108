#include "validate/blind/blind_parts.hpp"
#include "validate/collectives/size_tables.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

/// Below it a collective takes latency, above it the wire.
constexpr double class_limit_bytes = 4 << 20;

std::string kind_of(const std::string& operation, bool small) {
  return operation + (small ? " below 4 MiB" : " from 4 MiB");
}

/// Each operation of the file, in the order of the alphabet.
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

/// What `predict --collective` answers of it, in order of size; the records that it does not answer are refused.
std::vector<BlindPoint> points_of_class(const MeasurementFile& file, const std::vector<UnseenCollective>& told,
                                        bool small) {
  const auto in_class = [&](double size_bytes) { return (size_bytes < class_limit_bytes) == small; };
  std::vector<BlindPoint> points;
  for (const auto& one : told)
    if (in_class(one.size_bytes))
      points.push_back({one.table, one.measured_s, Forecast{one.told.s, one.told.s_low, one.told.s_high}});
  if (!told.empty()) return points;
  for (const auto& record : file.records) {
    const auto& collective = std::get<CollectiveRecord>(record);
    if (in_class(collective.size_bytes)) points.push_back({collective.head.series, collective.time_s, {}});
  }
  return points;
}

} // namespace

void score_collectives(const ReferenceData& reference, const MeasurementFile& file, std::vector<BlindScore>& scores) {
  for (const auto& [operation, own] : by_operation(file)) {
    const auto told = predict_unseen_collectives(reference, {own});
    for (const bool small : {true, false}) {
      const auto points = points_of_class(own, told, small);
      if (!points.empty()) scores.push_back(blind_score(kind_of(operation, small), NewcomerKnows::nothing, points));
    }
  }
}

} // namespace ddlsim
