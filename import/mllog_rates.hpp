#pragma once
// Finds how fast an MLPerf log says that it trained: by a stated speed, or from the times and counts of its blocks.

#include "import/mllog_benchmark.hpp"
#include "import/mllog_events.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Samples per second in every stretch of training, without evaluation.
struct MlRates {
  std::vector<double> rates;
  std::string of; ///< the kind of stretch: "blocks", "epochs"
  int first_line = 0;
};

/// Computes rates from the counts at start and stop of blocks, or of epochs if blocks have no counts. Empty if neither
/// has.
MlRates rates_of_marks(const MlEvents& events, const MlBenchmark& benchmark);

/// The speed of training that the record is made of: step times, or rates in samples per second.
struct MlSpeed {
  std::vector<double> values; ///< without the warm-up
  bool are_rates = false;
  int first_line = 0;
  std::vector<std::string> notes; ///< on the source of the values and their unit
};

/// The step time that the log states, else its throughput, else the rates of its blocks or epochs. Throws UserError if
/// there is none, and if two of them differ by more than 5 %.
MlSpeed speed_of(const MlEvents& events, const MlBenchmark& benchmark, const std::string& file);

} // namespace ddlsim
