#pragma once
// The time of one iteration on one GPU at any batch: a line fitted to step records and stored in calibration.json.

#include "sim/formats/model_constants.hpp"
#include "sim/formats/names.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Lines of one file that hold records: the file's name, and its line numbers as text, "9,12-16".
struct RecordLines {
  std::string file;
  std::string lines;

  bool operator==(const RecordLines&) const = default;
};

/// t(batch) = fixed_s + per_sample_s x batch, and at least least_s: the iteration of one GPU that trains one model in
/// one precision with one software stack. Lines leave 3 % over the published batch sweeps. Near full memory they fail,
/// so a line holds only a little beyond its largest measured batch.
struct BatchLine {
  std::string gpu;   ///< name in gpus.json; "" where the records name none
  std::string model; ///< name of a model variant
  Precision precision = Precision::fp32;
  std::string preset; ///< the software stack
  double fixed_s = 0;
  double per_sample_s = 0;
  double least_s = 0;        ///< the host's launch time; 0: not known
  double smallest_batch = 0; ///< the smallest measured batch
  double largest_batch = 0;  ///< the largest measured batch
  double relative_error = 0; ///< standard deviation of ln of one measured time around the line
  /// Root mean square of ln(predicted / measured), with each batch predicted from the others; 0: fewer than three
  /// batches.
  double leave_one_out = 0;
  double fixed_error = 0;           ///< standard deviation of ln fixed_s
  double per_sample_error = 0;      ///< standard deviation of ln per_sample_s
  double correlation = 0;           ///< correlation of the two errors
  int records = 0;                  ///< number of records behind the line
  std::vector<RecordLines> sources; ///< files and lines of these records
};

/// The line holds from half its smallest measured batch to this factor times its largest.
inline constexpr double reach_beyond_largest = ModelConstants{}.batch_line_reach;
inline constexpr double reach_below_smallest = 0.5;

double line_time_s(const BatchLine& line, double batch);

/// Standard deviation of ln of a time measured at `batch`, from the scatter around the line and the errors of its two
/// constants.
double line_width(const BatchLine& line, double batch);

} // namespace ddlsim
