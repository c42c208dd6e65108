#pragma once
// How long one GPU takes for one iteration, at any batch: a line learnt from its step records, kept in
// calibration.json.

#include "sim/formats/model_constants.hpp"
#include "sim/formats/names.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Records of one file: its name, and their lines as text, "9,12-16".
struct RecordLines {
  std::string file;
  std::string lines;

  bool operator==(const RecordLines&) const = default;
};

/// t(batch) = fixed_s + per_sample_s x batch, but no less than least_s, of one GPU training one model in one precision under one software stack.
/// A line leaves 3 % over the published batch sweeps; near full memory it fails, so it ends a little beyond the largest
/// measured batch.
struct BatchLine {
  std::string gpu;   ///< name in gpus.json; "" where the records name none
  std::string model; ///< a variant
  Precision precision = Precision::fp32;
  std::string preset; ///< the software stack
  double fixed_s = 0;
  double per_sample_s = 0;
  double least_s = 0;        ///< the host's pace; 0: not known
  double smallest_batch = 0; ///< measured
  double largest_batch = 0;  ///< measured
  double relative_error = 0; ///< standard deviation of ln of one measured time about the line
  /// Root mean square of ln(predicted / measured), each batch from the others; 0: fewer than three batches.
  double leave_one_out = 0;
  double fixed_error = 0;           ///< standard deviation of ln fixed_s
  double per_sample_error = 0;      ///< standard deviation of ln per_sample_s
  double correlation = 0;           ///< of the two
  int records = 0;                  ///< behind the line
  std::vector<RecordLines> sources; ///< where they stand
};

/// The line holds from half the smallest to this much beyond the largest measured batch.
inline constexpr double reach_beyond_largest = ModelConstants{}.batch_line_reach;
inline constexpr double reach_below_smallest = 0.5;

double line_time_s(const BatchLine& line, double batch);

/// Standard deviation of ln of a time measured at `batch`: the scatter about the line and the errors of its two
/// numbers.
double line_width(const BatchLine& line, double batch);

} // namespace ddlsim
