#pragma once
// Step records grouped into series: one experiment at several scales, as a person plots it.

#include "sim/formats/record.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Position of a record when all records of all files are counted in order.
using RecordIndex = std::size_t;

/// One scale of a series.
struct SeriesPoint {
  int gpus = 0;
  int nodes = 0;
  int gpus_per_node = 0;
  double iteration_s = 0;
  double relative_spread = 0;       ///< standard deviation over value, as stated or from repeated records; 0: not known
  int repeats = 0;                  ///< 0: not stated
  bool suspect = false;             ///< the source or its importer marks it as suspect
  Strategy strategy;                ///< server counts may change from scale to scale in one series
  std::vector<RecordIndex> records; ///< the records it was computed from; several if the scale was measured again
};

struct Series {
  std::string id;   ///< unique: cluster/file/series, with the strategy added where one name holds several
  std::string file; ///< file name without folders
  std::string name; ///< the records' own series name
  std::string cluster;
  std::string gpu;
  std::string device; ///< the device that computes: cpu, cuda; "": not stated
  std::string model;
  Precision precision = Precision::fp32;
  WirePrecision wire_precision = WirePrecision::unknown;
  double batch_per_gpu = 0;
  std::string data;
  std::string strategy; ///< text of the strategy; only its name if the number of servers changes with scale
  StrategyName strategy_name = StrategyName::none;
  std::string preset;
  std::string transport;
  bool emulated = false;
  std::vector<SeriesPoint> points; ///< ascending by gpus, then nodes; synchronised training only
  std::optional<double> one_gpu_s; ///< one GPU without the framework's synchronisation
  std::vector<RecordIndex> one_gpu_records;
};

/// Training series of all files (mode "train"), sorted by id. Records of one series agree in cluster, file, series
/// name, GPU, device, model, precision, batch, data, preset, strategy name and transport. Two records of one scale: the
/// not suspect before the suspect, then the median of what remains. A one-GPU record that is not synchronised (or whose
/// strategy is "none") is kept apart as one_gpu_s.
std::vector<Series> group_series(const std::vector<MeasurementFile>& files);

/// Iteration time of one GPU: synchronised if measured, else without synchronisation; none when neither was.
std::optional<double> one_gpu_time(const Series& series);

/// The points that a curve may be drawn through: `points`, preceded by one_gpu_s if no point has one GPU.
std::vector<SeriesPoint> curve_points(const Series& series);

} // namespace ddlsim
