#pragma once
// Records made by hand for the tests of the protocol.

#include "tests/formats/plain_records.hpp"
#include "validate/method.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ddlsim::test {

inline StepRecord step(const std::string& series, int gpus, int nodes, double iteration_s) {
  auto record = plain_step(series, gpus, nodes, iteration_s);
  record.head.gpu = "V100";
  record.model = "resnet50_v1.5";
  record.batch_per_gpu = 64;
  return record;
}

/// One series on nodes of four GPUs: 1, 2, 4 in a node, then 8, 16, 32; times in that order.
inline MeasurementFile curve_file(const std::string& cluster, const std::string& name,
                                  const std::vector<double>& times) {
  const std::vector<std::pair<int, int>> scales{{1, 1}, {2, 1}, {4, 1}, {8, 2}, {16, 4}, {32, 8}};
  std::vector<Record> records;
  for (std::size_t i = 0; i < times.size(); ++i)
    records.emplace_back(step(name, scales[i].first, scales[i].second, times[i]));
  return file_of(cluster, name, std::move(records));
}

/// A series of the given points, one-GPU nodes, known as it stands.
inline Series known_series(const std::vector<std::pair<int, double>>& points) {
  Series series;
  series.id = series.cluster = "c";
  series.model = "m";
  series.transport = "t";
  for (const auto& [gpus, time] : points) {
    SeriesPoint point;
    point.gpus = point.nodes = gpus;
    point.gpus_per_node = 1;
    point.iteration_s = time;
    point.strategy.name = StrategyName::ring;
    series.points.push_back(point);
  }
  return series;
}

} // namespace ddlsim::test
