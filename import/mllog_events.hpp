#pragma once
// The events of an MLPerf log that show the speed of training (mlcommons/logging, mlperf_logging/mllog). They are lines
// ":::MLLOG {JSON}" among any other output.

#include "import/log_source.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

enum class MlMarkKind { run_start, run_stop, block_start, block_stop, epoch_start, epoch_stop, eval_start, eval_stop };

/// The start or the stop of a run, a block, an epoch or an evaluation. Counts are as the log states them; -1 if it does
/// not.
struct MlMark {
  MlMarkKind kind = MlMarkKind::run_start;
  double time_s = 0;
  double samples_count = -1;
  double epoch_num = -1;
  double epoch_count = -1;
  double step_num = -1;
  int line = 0;
};

struct MlEvents {
  std::vector<MlMark> marks;
  std::vector<double> step_times_s;         ///< tracked times, each of one global batch
  std::vector<double> rates;                ///< tracked throughputs in the benchmark's unit
  int first_stated_line = 0;                ///< line of the first tracked time or rate
  std::map<std::string, double> numbers;    ///< numbers of other events by key; the last one of each key
  std::map<std::string, std::string> texts; ///< texts of other events, in the same way
  std::string date;                         ///< date of the first event in UTC, as in "2026-11-29"
  int broken_lines = 0;                     ///< number of lines that hold no complete event
  int old_lines = 0;                        ///< number of lines of MLPerf v0.5 and v0.6

  double number(const char* key) const; ///< returns 0 if the key is missing
  std::string text(const char* key) const;
};

/// Reads the events line by line. If several ranks print events, only those of the first rank are read. Throws
/// UserError if there is no event, or for a second global batch size.
MlEvents read_mllog(LogSource& source);

} // namespace ddlsim
