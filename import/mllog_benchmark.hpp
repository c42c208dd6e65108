#pragma once
// What the counts in logs of MLPerf mean in each benchmark.

#include <string_view>

namespace ddlsim {

/// The unit of epoch_count, epoch_num and samples_count.
enum class MlCount {
  epochs,            ///< whole passes over train_samples; the unit of samples_count is samples
  epochs_or_samples, ///< samples if the number is at least train_samples, else epochs
  samples,
  tokens,         ///< tokens, of which max_sequence_length make a sample
  share_of_epoch, ///< share of an epoch: 0.05 of train_samples
};

/// A benchmark of MLPerf Training or MLPerf HPC.
struct MlBenchmark {
  const char* name = "";    ///< value of submission_benchmark
  const char* samples = ""; ///< what the samples are: "images"
  MlCount counts = MlCount::epochs;
  bool rate_in_tokens = false;      ///< whether the tracked throughput is in tokens and not in samples
  bool rate_has_evaluation = false; ///< whether the time of the tracked throughput includes evaluations
  const char* why_no_record = "";   ///< why no record can be made of its logs; "": one can be made
};

/// Returns the row of that name. For an unknown name it counts in epochs and samples.
const MlBenchmark& ml_benchmark(std::string_view name);

} // namespace ddlsim
