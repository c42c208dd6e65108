#pragma once
// All-reduces by themselves, as nccl-tests and the OSU benchmarks run them: time and bus bandwidth over size and scale.

#include "sim/formats/data_folder.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/scaling_curve.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// One size on one number of GPUs. Intervals hold 90 % of the samples.
struct PredictedAllReduce {
  int gpus = 0;
  int nodes = 0;
  double size_bytes = 0;
  IterationTime time;
  double bus_Bps = 0; ///< size x 2(n-1)/n over the time: NVIDIA/nccl-tests, doc/PERFORMANCE.md
  double bus_Bps_low = 0;
  double bus_Bps_high = 0;
  std::string algorithm; ///< of the likeliest sample
  std::string protocol;  ///< "" of a library without protocols
};

struct CollectiveAnswer {
  Strategy strategy;
  std::string preset;
  std::string transport;
  std::string library;
  bool library_stated = false;
  std::vector<Scale> measured;            ///< of tables on this cluster that correct the model, ascending
  std::vector<PredictedAllReduce> points; ///< by GPUs, then size
  std::vector<std::string> errors;        ///< scales that cannot be, and why
};

struct CollectivePrediction {
  Scenario scenario;
  std::vector<CollectiveAnswer> answers; ///< of the strategies that all-reduce
  std::vector<std::string> warnings;
};

/// The sizes from 1 KiB to 1 GiB, each four times the one before.
std::vector<double> usual_collective_sizes();

/// 90 % of what will be measured, where the samples' logarithms are `ln_times` and the model is off by so much.
IterationTime collective_interval(double likeliest_s, const std::vector<double>& ln_times, double spread);

/// What the all-reduces in the curve's calibration say of that one.
AllReduceCorrection all_reduce_correction_of(const Curve& curve, int gpus, double size_bytes);

/// The answer of one curve: the likeliest sample by closed form, and the interval of all samples, each corrected by
/// what the cluster's calibration has of all-reduces by themselves (measured_all_reduces.hpp).
PredictedAllReduce predict_collective(const Curve& curve, int gpus, double size_bytes);

/// Throws UserError when the scenario has no strategy of all-reduces, or none of its scales has two GPUs.
CollectivePrediction predict_collectives(const Scenario& scenario, const std::vector<double>& sizes_bytes,
                                         const DataFolder& data);

/// "4 KiB", "16 MiB": sizes of benchmarks are powers of two.
std::string binary_size(double size_bytes);

/// A sentence for each scale, then a table of sizes; as a person reads nccl-tests.
std::string to_terminal_text(const CollectivePrediction& prediction);
/// {"format": "ddlsim-collective-prediction", "version": 1, "points": [...]}, SI units.
std::string to_json_text(const CollectivePrediction& prediction);
/// A row for each point, SI units.
std::string to_csv_text(const CollectivePrediction& prediction);

} // namespace ddlsim
