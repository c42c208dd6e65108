#pragma once
// The forms in which training programs print facts of a run: a number or a word next to a phrase, one row for each
// form.

#include "import/step_forms.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace ddlsim {

/// The facts that are numbers.
enum class RunFact {
  gpus,                ///< or processes, one a GPU
  nodes,               ///< machines of the run
  gpus_of_node,        ///< GPUs of each
  global_batch,        ///< samples of a step, all GPUs
  samples_of_step,     ///< the same, a mean of some steps: batches of as many tokens differ in samples
  batch_per_gpu,       ///< samples a GPU takes at once
  batch_of_whom,       ///< samples of a GPU or of all: many programs print "Batch size: 64"
  batch_of_rank,       ///< samples that the process which prints takes on all its GPUs
  accumulation,        ///< how often a GPU does before it updates
  data_parallel,       ///< groups of GPUs that take samples of their own
  devices_of_rank,     ///< GPUs of the process that prints
  sequence_length,     ///< tokens of a sample
  tokens_per_step,     ///< of all GPUs
  samples_so_far,      ///< that the run has taken
  step,                ///< number of the step
  microstep,           ///< number of the micro-step, of which several may be one step
  total_samples_per_s, ///< of all GPUs, at the run's end
  run_s,               ///< the whole run, evaluation and saving in it
  run_steps_per_s,     ///< of the whole run
  run_samples_per_s,   ///< of the whole run
  evaluation_s,        ///< of one evaluation
  run_begins,          ///< 1: statements about the end of a run above this line belong to another run
  run_steps,           ///< updates of the whole run
  first_step,          ///< where a run goes on that was begun before
  epoch_samples,       ///< samples of an epoch
  epochs_done,         ///< at the run's end, which may stop early
  count
};

/// A number beside a phrase.
struct FactForm {
  RunFact fact;
  const char* phrase;
  NumberIs number = NumberIs::after_mark;
  const char* with = "";    ///< another phrase that the line must have
  const char* without = ""; ///< a phrase that the line must not have
  /// What the text behind the phrase says, where it is not one number. Null: the number.
  std::optional<double> (*read)(std::string_view rest) = nullptr;
};

std::span<const FactForm> fact_forms();

/// The facts that are words.
enum class RunWord {
  precision,
  preset,
  data,
  servers,            ///< parameter servers, where there are several workers
  kvstore,            ///< MXNet: "local", one process has all GPUs; "dist", a worker prints for its own host
  horovod,            ///< one process a GPU
  no_single_training, ///< why there is no training of one model to time
  count
};

/// The line has the phrase, and `with` where it is not "": it says `value`, as tables of rates name it.
struct WordForm {
  RunWord word;
  const char* phrase;
  const char* value;
  const char* with = "";
};

std::span<const WordForm> word_forms();

} // namespace ddlsim
