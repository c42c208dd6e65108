#pragma once
// What a training's log says of the run beside its steps: GPUs, batches, counts of samples, totals.

#include "import/step_forms.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ddlsim {

enum class RunFact {
  gpus,                ///< or processes, one a GPU
  global_batch,        ///< samples of a step, all GPUs
  batch_per_gpu,       ///< samples a GPU takes at once
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
  run_steps,           ///< updates of the whole run
  count
};

/// How a log says a fact: a number beside a phrase.
struct FactForm {
  RunFact fact;
  const char* phrase;
  NumberIs number = NumberIs::after_mark;
  const char* with = "";    ///< what the line has too
  const char* without = ""; ///< what the line has not
};

std::span<const FactForm> fact_forms();

struct StatedFact {
  double value = 0;
  int line = 0;
};

/// Of each fact the first and the last that the log states, and their sum.
class RunFacts {
public:
  /// Takes what the line says by that form; the phrase stands from `begin` to `end`.
  void take(const FactForm& form, std::string_view line, std::size_t begin, std::size_t end, int number);
  /// What is no number: "Model: resnet50", "Devices: [...]", Horovod, a distributed kvstore of MXNet.
  void take_words(std::string_view line, int number);

  /// Counts of samples and steps begin with the next.
  void count_anew();

  std::optional<StatedFact> first(RunFact fact) const { return of(fact).first; }
  std::optional<StatedFact> last(RunFact fact) const { return of(fact).last; }
  double sum(RunFact fact) const { return of(fact).sum; }
  bool changed(RunFact fact) const { return of(fact).changed; }

  /// Samples a step by the counts of samples and steps; 0: not stated twice.
  double samples_a_step() const;
  /// Micro-steps a step by their numbers; 1: not stated twice.
  double microsteps_a_step() const;

  std::string model;             ///< as the log calls it; "": not stated
  std::string gpu;               ///< as the driver calls it; "": not stated
  bool one_gpu_a_rank = false;   ///< Horovod
  bool workers_on_hosts = false; ///< MXNet's kvstore dist_*: a worker prints for its own host

private:
  struct Said {
    std::optional<StatedFact> first;
    std::optional<StatedFact> last;
    double sum = 0;
    bool changed = false;
  };
  const Said& of(RunFact fact) const { return said_[static_cast<std::size_t>(fact)]; }
  double slope(RunFact of_what, RunFact over) const;

  std::array<Said, static_cast<std::size_t>(RunFact::count)> said_;
};

} // namespace ddlsim
