#pragma once
// The forms in which training programs print facts of a run: a number or a word beside a phrase. Each form has one row.

#include "import/step_forms.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace ddlsim {

/// The facts that are numbers.
enum class RunFact {
  gpus,                ///< number of GPUs, or of processes with one GPU each
  nodes,               ///< number of nodes of the run
  gpus_of_node,        ///< number of GPUs of each node
  global_batch,        ///< samples of a step on all GPUs
  samples_of_step,     ///< the same as a mean over steps, because batches of equal tokens differ in samples
  batch_per_gpu,       ///< samples that a GPU takes at once
  batch_of_whom,       ///< samples of one GPU or of all GPUs: many programs print "Batch size: 64"
  batch_of_rank,       ///< samples of a step on all GPUs of the printing process
  accumulation,        ///< number of micro-batches of a GPU for each update
  data_parallel,       ///< number of data-parallel groups
  devices_of_rank,     ///< number of GPUs of the printing process
  sequence_length,     ///< tokens of a sample
  tokens_per_step,     ///< tokens of a step on all GPUs
  samples_so_far,      ///< samples that the run has taken so far
  step,                ///< number of the step
  microstep,           ///< number of the micro-step; a step may have several
  total_samples_per_s, ///< samples per second on all GPUs, printed at the end of the run
  run_s,               ///< seconds of the whole run, with evaluation and saving
  run_steps_per_s,     ///< steps per second over the whole run
  run_samples_per_s,   ///< samples per second over the whole run
  evaluation_s,        ///< seconds of one evaluation
  run_begins,          ///< 1: statements about the end of a run above this line belong to an earlier run
  run_steps,           ///< number of updates in the whole run
  first_step,          ///< step at which a run begins that continues an earlier one
  epoch_samples,       ///< samples of an epoch
  epochs_done,         ///< number of epochs at the end of the run, which may stop early
  count
};

/// A form in which a number stands beside a phrase.
struct FactForm {
  RunFact fact;
  const char* phrase;
  NumberIs number = NumberIs::after_mark;
  const char* with = "";    ///< another phrase that the line must have
  const char* without = ""; ///< a phrase that the line must not have
  /// Reads the text behind the phrase where that is more than one number. Null: it is a number.
  std::optional<double> (*read)(std::string_view rest) = nullptr;
};

std::span<const FactForm> fact_forms();

/// The facts that are words.
enum class RunWord {
  precision,
  preset,
  data,
  servers, ///< parameter servers, where there are several workers
  /// MXNet's kind: with "local" one process has all GPUs; with "dist" a worker prints the figures of its own host
  kvstore,
  horovod,            ///< a program that runs one process for each GPU
  no_single_training, ///< the log trains no single model whose step could be timed
  count
};

/// A line with the phrase, and with `with` unless that is "", states `value`, which is spelled as in tables of rates.
struct WordForm {
  RunWord word;
  const char* phrase;
  const char* value;
  const char* with = "";
};

std::span<const WordForm> word_forms();

} // namespace ddlsim
