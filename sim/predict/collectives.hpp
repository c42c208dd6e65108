#pragma once
// Predictions for stand-alone all-reduces, as nccl-tests and the OSU benchmarks run them: time and bus bandwidth over
// size and scale.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// The prediction for one size on one number of GPUs. Intervals hold 90 % of the samples.
struct PredictedAllReduce {
  int gpus = 0;
  int nodes = 0;
  double size_bytes = 0;
  IterationTime time;
  double bus_Bps = 0; ///< bus bandwidth: size x 2(n-1)/n over the time (NVIDIA/nccl-tests, doc/PERFORMANCE.md)
  double bus_Bps_low = 0;
  double bus_Bps_high = 0;
  std::string algorithm; ///< algorithm that the likeliest sample chooses
  std::string protocol;  ///< protocol that it chooses; "" if the library has none
};

struct CollectiveAnswer {
  Strategy strategy;
  std::string preset;
  std::string transport;
  std::string library;
  bool library_stated = false;
  /// scales of the tables that were measured on this cluster and correct the model, ascending
  std::vector<Scale> measured;
  std::vector<PredictedAllReduce> points; ///< points in the order of GPUs, then of size
  std::vector<std::string> errors;        ///< the reason for each scale that is impossible
};

struct CollectivePrediction {
  Scenario scenario;
  std::vector<CollectiveAnswer> answers; ///< an answer for each strategy that uses all-reduces
  std::vector<std::string> warnings;
};

/// Returns the sizes from 1 KiB to 1 GiB, each four times the one before.
std::vector<double> usual_collective_sizes();

/// Returns the 90 % interval of a measurement. `ln_times` are the logarithms of the samples' times, and `spread` is the
/// standard deviation of ln of the model's error.
IterationTime collective_interval(double likeliest_s, const std::vector<double>& ln_times, double spread);

/// Returns the correction of an all-reduce of this size on `gpus` GPUs by the measured all-reduces in the curve's
/// calibration.
AllReduceCorrection all_reduce_correction_of(const Curve& curve, int gpus, double size_bytes);

/// Predicts one all-reduce: the time of the likeliest sample by the closed form, and the interval of all samples. The
/// stand-alone all-reduces in the cluster's calibration correct both (measured_all_reduces.hpp).
PredictedAllReduce predict_collective(const Curve& curve, int gpus, double size_bytes);

/// Predicts all all-reduces of a scenario. Throws UserError when none of its strategies uses all-reduces, or none of
/// its scales has two GPUs.
CollectivePrediction predict_collectives(const Scenario& scenario, const std::vector<double>& sizes_bytes,
                                         const DataFolder& data);

/// Returns a size as benchmarks write it, in powers of two: "4 KiB", "16 MiB".
std::string binary_size(double size_bytes);

/// Writes a sentence for each scale, and then a table over sizes like that of nccl-tests.
std::string to_terminal_text(const CollectivePrediction& prediction);
/// A JSON document of format ddlsim-collective-prediction, in SI units.
std::string to_json_text(const CollectivePrediction& prediction);
FileFormat collective_prediction_format();
/// Writes one row for each point, in SI units.
std::string to_csv_text(const CollectivePrediction& prediction);

} // namespace ddlsim
