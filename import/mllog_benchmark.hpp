#pragma once
// What the counts in logs of MLPerf mean in each benchmark.

#include <string_view>

namespace ddlsim {

/// The unit of epoch_count, epoch_num and samples_count.
enum class MlCount {
  epochs,            ///< whole passes over train_samples; samples_count is in samples
  epochs_or_samples, ///< samples if the number is at least train_samples, else epochs
  samples,
  tokens,         ///< max_sequence_length tokens make a sample
  share_of_epoch, ///< a share of an epoch: 0.05 of train_samples
};

/// A benchmark of MLPerf Training or MLPerf HPC.
struct MlBenchmark {
  const char* name = "";    ///< as submission_benchmark has it
  const char* samples = ""; ///< what a sample is, in words: "images"
  MlCount counts = MlCount::epochs;
  bool rate_in_tokens = false;      ///< the tracked throughput is in tokens, not samples
  bool rate_has_evaluation = false; ///< the time of the tracked throughput includes evaluations
  const char* why_no_record = "";   ///< why no record can be made of its logs; "": one can
};

/// The row of that name. For an unknown name it is a row that counts in epochs and samples.
const MlBenchmark& ml_benchmark(std::string_view name);

} // namespace ddlsim
