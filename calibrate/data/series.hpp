#pragma once
// Step records grouped into series. A series is one experiment at several scales, which a plot shows as one line.

#include "sim/formats/record.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Position of a record in the order of all records of all files.
using RecordIndex = std::size_t;

/// One scale of a series.
struct SeriesPoint {
  int gpus = 0;
  int nodes = 0;
  int gpus_per_node = 0;
  double iteration_s = 0;
  double relative_spread = 0;       ///< standard deviation over value, as stated or by repeated records; 0: not known
  int repeats = 0;                  ///< number of repeats; 0: not stated
  bool suspect = false;             ///< whether the source or its importer marks it as suspect
  Strategy strategy;                ///< strategy at this scale; the number of servers may change from scale to scale
  std::vector<RecordIndex> records; ///< the records behind it, several if the scale was measured again
};

struct Series {
  std::string id;   ///< unique name: cluster/file/series, and the strategy where one name has several
  std::string file; ///< file's name without folders
  std::string name; ///< series name in the records
  std::string cluster;
  std::string gpu;
  std::string device; ///< the device that computes, "cpu" or "cuda"; "": not stated
  std::string model;
  Precision precision = Precision::fp32;
  WirePrecision wire_precision = WirePrecision::unknown;
  double batch_per_gpu = 0;
  TrainedPart train{};
  double document_tokens = 0; ///< as of StepRecord
  std::string data;
  std::string strategy; ///< text of the strategy; its name only, if the number of servers changes with scale
  StrategyName strategy_name = StrategyName::none;
  std::string preset;
  std::string transport;
  bool emulated = false;
  std::vector<SeriesPoint> points; ///< points of synchronised training, ascending by gpus and then nodes
  std::optional<double> one_gpu_s; ///< time of one GPU without the framework's synchronisation
  std::vector<RecordIndex> one_gpu_records;
};

/// Returns the training series of all files (mode "train"), sorted by id. Records of one series agree in cluster, file,
/// series name, GPU, device, model, precision, batch, data, preset, strategy name and transport. Of several records of
/// one scale, suspect ones count only if there are no others, and the median of those that count is taken. A one-GPU
/// record that is not synchronised (or whose strategy is "none") is kept apart as one_gpu_s.
std::vector<Series> group_series(const std::vector<MeasurementFile>& files);

/// Iteration time of one GPU: the synchronised one if it was measured, else the one without synchronisation; nothing
/// when neither was.
std::optional<double> one_gpu_time(const Series& series);

/// The points through which a curve may be drawn: `points`, preceded by one_gpu_s if no point is of one GPU.
std::vector<SeriesPoint> curve_points(const Series& series);

} // namespace ddlsim
