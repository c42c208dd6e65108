#pragma once
// The events of an MLPerf log that say how fast it trained (mlcommons/logging, mlperf_logging/mllog): lines
// ":::MLLOG {JSON}" among any other output.

#include "import/log_source.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

enum class MlMarkKind { run_start, run_stop, block_start, block_stop, epoch_start, epoch_stop, eval_start, eval_stop };

/// Begin or end of something. Counts are as the log has them, -1 where it has none.
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
  std::vector<double> step_times_s;         ///< tracked, of one global batch each
  std::vector<double> rates;                ///< tracked throughput, in what the benchmark counts
  int first_stated_line = 0;                ///< of a tracked time or rate
  std::map<std::string, double> numbers;    ///< other events' values, the last of a key
  std::map<std::string, std::string> texts; ///< the same
  std::string date;                         ///< of the first event, "2026-11-29"; in UTC
  int broken_lines = 0;                     ///< no whole event
  int old_lines = 0;                        ///< of MLPerf v0.5 and v0.6

  double number(const char* key) const; ///< 0: not there
  std::string text(const char* key) const;
};

/// Reads line by line, of several ranks' output the first one's. Throws UserError where there is no event, and for a
/// second global batch size.
MlEvents read_mllog(LogSource& source);

} // namespace ddlsim
