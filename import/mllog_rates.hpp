#pragma once
// How fast an MLPerf log says that it trained: by what it states, and by what its blocks make.

#include "import/mllog_benchmark.hpp"
#include "import/mllog_events.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Samples a second of every stretch of training, evaluation left out.
struct MlRates {
  std::vector<double> rates;
  std::string of; ///< "blocks", "epochs"
  int first_line = 0;
};

/// Rates from the counts at begin and end of blocks, or of epochs where blocks have no counts. Empty where neither has.
MlRates rates_of_marks(const MlEvents& events, const MlBenchmark& benchmark);

/// What is taken for the speed of training: step times, or rates in samples a second.
struct MlSpeed {
  std::vector<double> values; ///< warm-up left out
  bool are_rates = false;
  int first_line = 0;
  std::vector<std::string> notes; ///< where it comes from, in which unit
};

/// The step time or throughput that the log states, in that order, else what its marks make. Throws UserError where
/// there is none, and where two of them differ by more than 5 %.
MlSpeed speed_of(const MlEvents& events, const MlBenchmark& benchmark, const std::string& file);

} // namespace ddlsim
