#pragma once
// The forms in which training programs print facts of a run: a number or a word next to a phrase. Each form has one
// row.

#include "import/step_forms.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace ddlsim {

/// The facts that are numbers.
enum class RunFact {
  gpus,                ///< or processes, one per GPU
  nodes,               ///< nodes of the run
  gpus_of_node,        ///< GPUs of each node
  global_batch,        ///< samples of a step on all GPUs
  samples_of_step,     ///< the same as a mean over steps: batches of equal tokens differ in samples
  batch_per_gpu,       ///< samples that a GPU takes at once
  batch_of_whom,       ///< samples of one GPU or of all: many programs print "Batch size: 64"
  batch_of_rank,       ///< samples on all GPUs of the printing process
  accumulation,        ///< micro-batches of a GPU per update
  data_parallel,       ///< number of data-parallel groups
  devices_of_rank,     ///< GPUs of the printing process
  sequence_length,     ///< tokens per sample
  tokens_per_step,     ///< on all GPUs
  samples_so_far,      ///< samples that the run has taken until then
  step,                ///< the step's number
  microstep,           ///< the micro-step's number; a step may have several
  total_samples_per_s, ///< on all GPUs, printed at the run's end
  run_s,               ///< time of the whole run with evaluation and saving
  run_steps_per_s,     ///< over the whole run
  run_samples_per_s,   ///< over the whole run
  evaluation_s,        ///< time of one evaluation
  run_begins,          ///< 1: statements about the end of a run above this line belong to an earlier run
  run_steps,           ///< updates in the whole run
  first_step,          ///< of a run that continues an earlier one
  epoch_samples,       ///< samples per epoch
  epochs_done,         ///< at the run's end; it may stop early
  count
};

/// A number beside a phrase.
struct FactForm {
  RunFact fact;
  const char* phrase;
  NumberIs number = NumberIs::after_mark;
  const char* with = "";    ///< another phrase that the line must have
  const char* without = ""; ///< a phrase that the line must not have
  /// Reads the text behind the phrase if it is not just one number. Null: it is a number.
  std::optional<double> (*read)(std::string_view rest) = nullptr;
};

std::span<const FactForm> fact_forms();

/// The facts that are words.
enum class RunWord {
  precision,
  preset,
  data,
  servers,            ///< parameter servers, if there are several workers
  kvstore,            ///< MXNet: "local": one process has all GPUs; "dist": a worker prints the figures of its own host
  horovod,            ///< one process per GPU
  no_single_training, ///< the log trains no single model that could be timed
  count
};

/// A line with the phrase, and with `with` unless that is "", states `value`, spelled as in tables of rates.
struct WordForm {
  RunWord word;
  const char* phrase;
  const char* value;
  const char* with = "";
};

std::span<const WordForm> word_forms();

} // namespace ddlsim
