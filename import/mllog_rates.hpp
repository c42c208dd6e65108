#pragma once
// Finds how fast the training of an MLPerf log was: by a speed that it states, or by the times and counts of its
// blocks.

#include "import/mllog_benchmark.hpp"
#include "import/mllog_events.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Samples per second in every stretch of training, without evaluation.
struct MlRates {
  std::vector<double> rates;
  std::string of; ///< kind of stretch: "blocks" or "epochs"
  int first_line = 0;
};

/// Computes rates from the counts at start and stop of blocks, or of epochs if blocks have no counts. Returns no rates
/// if neither has any.
MlRates rates_of_marks(const MlEvents& events, const MlBenchmark& benchmark);

/// The speed of training of which the record is made: step times, or rates in samples per second.
struct MlSpeed {
  std::vector<double> values; ///< values without the warm-up
  bool are_rates = false;
  int first_line = 0;
  std::vector<std::string> notes; ///< sentences on the source of the values and on their unit
};

/// Returns the step time that the log states, else its throughput, else the rates of its blocks or epochs. Throws
/// UserError if there is none, and if two of them differ by more than 5 %.
MlSpeed speed_of(const MlEvents& events, const MlBenchmark& benchmark, const std::string& file);

} // namespace ddlsim
