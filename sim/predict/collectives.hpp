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
  double bus_Bps = 0; ///< size x 2(n-1)/n over the time: NVIDIA/nccl-tests, doc/PERFORMANCE.md
  double bus_Bps_low = 0;
  double bus_Bps_high = 0;
  std::string algorithm; ///< the choice of the likeliest sample
  std::string protocol;  ///< "" if the library has no protocols
};

struct CollectiveAnswer {
  Strategy strategy;
  std::string preset;
  std::string transport;
  std::string library;
  bool library_stated = false;
  std::vector<Scale> measured; ///< scales of the tables measured on this cluster that correct the model, ascending
  std::vector<PredictedAllReduce> points; ///< by GPUs, then size
  std::vector<std::string> errors;        ///< for each impossible scale, the reason
};

struct CollectivePrediction {
  Scenario scenario;
  std::vector<CollectiveAnswer> answers; ///< one for each strategy that uses all-reduces
  std::vector<std::string> warnings;
};

/// Returns the sizes from 1 KiB to 1 GiB, each four times the previous one.
std::vector<double> usual_collective_sizes();

/// Returns the 90 % interval of a measurement, from the logarithms of the samples' times, `ln_times`, and the model's
/// error: `spread` is the standard deviation of ln.
IterationTime collective_interval(double likeliest_s, const std::vector<double>& ln_times, double spread);

/// The correction of an all-reduce of this size on `gpus` GPUs by the measured all-reduces in the curve's calibration.
AllReduceCorrection all_reduce_correction_of(const Curve& curve, int gpus, double size_bytes);

/// Predicts one all-reduce: the likeliest sample by closed form, and the interval of all samples. Both are corrected by
/// the stand-alone all-reduces in the cluster's calibration (measured_all_reduces.hpp).
PredictedAllReduce predict_collective(const Curve& curve, int gpus, double size_bytes);

/// Throws UserError when no strategy of the scenario uses all-reduces, or none of its scales has two GPUs.
CollectivePrediction predict_collectives(const Scenario& scenario, const std::vector<double>& sizes_bytes,
                                         const DataFolder& data);

/// Writes a size as benchmarks do, in powers of two: "4 KiB", "16 MiB".
std::string binary_size(double size_bytes);

/// Writes a sentence for each scale, then a table over sizes that people can read like that of nccl-tests.
std::string to_terminal_text(const CollectivePrediction& prediction);
/// A JSON document of format ddlsim-collective-prediction, in SI units.
std::string to_json_text(const CollectivePrediction& prediction);
FileFormat collective_prediction_format();
/// Writes one row for each point, in SI units.
std::string to_csv_text(const CollectivePrediction& prediction);

} // namespace ddlsim
