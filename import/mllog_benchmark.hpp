#pragma once
// What the numbers in logs of MLPerf count: it differs from benchmark to benchmark.

#include <string_view>

namespace ddlsim {

/// What epoch_count, epoch_num and samples_count are numbers of.
enum class MlCount {
  epochs,            ///< whole passes over train_samples; samples_count is of samples
  epochs_or_samples, ///< samples where the number is one of train_samples at least, else epochs
  samples,
  tokens,         ///< max_sequence_length of them are a sample
  share_of_epoch, ///< 0.05 of train_samples
};

/// A benchmark of MLPerf Training or MLPerf HPC.
struct MlBenchmark {
  const char* name = "";    ///< as submission_benchmark has it
  const char* samples = ""; ///< what a sample is, in words: "images"
  MlCount counts = MlCount::epochs;
  bool rate_in_tokens = false;      ///< tracked throughput; else in samples
  bool rate_has_evaluation = false; ///< tracked throughput is over the time of evaluations, too
  const char* why_no_record = "";   ///< why no record can be made of it; "": one can
};

/// The row of that name; for a name that no row has, one that counts epochs and samples.
const MlBenchmark& ml_benchmark(std::string_view name);

} // namespace ddlsim
