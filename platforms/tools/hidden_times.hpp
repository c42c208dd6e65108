#pragma once
// How well the program knows one-GPU times that nobody measured: groups of shipped records hidden in turn, and asked of
// the estimator that `ddlsim predict` uses.

#include "sim/compute/one_gpu_estimate.hpp"
#include "sim/compute/other_clusters.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ddlsim {

/// All shipped one-GPU times, those read back from runs of several GPUs among them, and the catalogue. Each record
/// notes its site.
struct ShippedTimes {
  std::vector<StepRecord> records;
  OtherClusterTimes catalogue; ///< without records
  std::vector<Model> models;
};
ShippedTimes read_shipped_times(const DataFolder& data);

/// What is hidden together.
enum class Hidden : std::uint8_t {
  gpu,          ///< everything of a GPU
  architecture, ///< everything of a compute capability
  stack_on_gpu, ///< everything of a stack on a GPU
  model,        ///< a model of a stack on a GPU at a site, which has others
  batch,        ///< a batch of such a model, which has others
};

/// One hidden time beside its estimate.
struct HiddenTime {
  std::string group; ///< names what was hidden
  std::string model;
  Precision precision = Precision::fp32;
  bool attends = false;
  double measured_s = 0;
  double estimated_s = 0;
  double width = 0; ///< standard deviation of ln that the estimate claims
};

/// Each time that can be hidden so, asked with all others known.
std::vector<HiddenTime> hide_each(const ShippedTimes& shipped, Hidden hidden);

/// Errors of some times; ln(estimated / measured).
struct HiddenScore {
  int times = 0;
  double mean = 0;       ///< of |ln|
  double worst = 0;      ///< largest |ln|
  double bias = 0;       ///< mean of ln: above 0 when estimated too slow
  double held = 0;       ///< share of the times inside the 90 % interval
  double half_width = 0; ///< mean half-width of that interval, in ln
};
HiddenScore score_of(const std::vector<HiddenTime>& times);

/// A row for each kind of model and precision.
std::string to_text(const std::vector<HiddenTime>& times);

} // namespace ddlsim
