#pragma once
// How well the program knows the time of a GPU that nobody measured: each GPU's training records hidden in turn.

#include "platforms/tools/prior_widths.hpp"
#include "sim/formats/prior.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// What is hidden beside the GPU asked for: nothing else, or every GPU of its compute capability too (V100 of any form
/// with V100), as for a GPU of an architecture that nobody has.
enum class Hidden { gpu, architecture };

/// How it is estimated: as `predict` does, or by the best single anchor or the catalogue, without blending records: the
/// rule that it is held against.
enum class Estimator { predict, best_single };

/// One time of a hidden GPU: the best estimate of `predict` (OneGpuTimes) beside the fastest measurement.
struct HiddenTime {
  std::string gpu;
  std::string model;
  Precision precision = Precision::fp32;
  std::string preset;
  double batch = 0;
  double measured_s = 0;
  double estimated_s = 0;
  double width = 0;  ///< standard deviation of ln that the estimate claims, all its error sources together
  std::string prior; ///< of its first error source
};

/// Every (GPU, model, precision, stack, batch) that was measured and whose model has a layer table. `priors` gives the
/// error sources their widths. Throws UserError when one of them is missing.
std::vector<HiddenTime> hide_each_gpu(const ComputeRecords& shipped, const std::vector<Prior>& priors, Hidden hidden,
                                      Estimator estimator = Estimator::predict);

/// Errors of one GPU in one kind of precision; ln(estimated / measured).
struct HiddenScore {
  int times = 0;
  double mean = 0;  ///< of |ln|
  double worst = 0; ///< largest |ln|
  double bias = 0;  ///< mean of ln: above 0 when estimated too slow
  double held = 0;  ///< share of the times inside the 90 % interval
};
HiddenScore score_of(const std::vector<HiddenTime>& times);

/// A row for each GPU, then all times and the mean over GPUs; fp32 and tf32 apart from 16 bits.
std::string to_text(const std::vector<HiddenTime>& times);

/// A row for each time.
std::string to_csv(const std::vector<HiddenTime>& times);

} // namespace ddlsim
