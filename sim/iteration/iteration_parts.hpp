#pragma once
// The parts of an iteration: compute, the communication that does not hide behind it, and waiting.

#include <array>

namespace ddlsim {

/// Time that each kind of transfer adds to a pipeline's iteration, seconds. Kinds are switched on one after another, in
/// the order of the members, and each counts what it adds to the time so far. For a pipeline the sum is
/// exposed_communication_s.
struct ExposedParts {
  double tensor_s = 0;        ///< all-gathers and reduce-scatters inside layers
  double context_s = 0;       ///< transfers of keys and values, and of their gradients
  double pipeline_s = 0;      ///< sends between stages
  double data_parallel_s = 0; ///< all-reduces, all-gathers and reduce-scatters among replicas
  double offload_s = 0;       ///< time that sharded state on the host adds; 0 for a pipeline
};

/// The parts of an iteration's time, which add up to it. The model's mechanisms give all of them but unexplained_s.
/// slow_node_s and `exposed` divide other parts further and are not added.
struct IterationParts {
  double compute_s = 0;               ///< forward and backward of one GPU
  double exposed_communication_s = 0; ///< time that transfers add beyond the compute they overlap with
  double synchronisation_s = 0;       ///< cost of synchronisation itself: hooks, launches, the jump at the second node
  double straggling_s = 0;            ///< waiting for the slowest node; 0 for ps-async, where no worker waits
  double neighbours_s = 0;            ///< time added by other jobs on the same links between switches
  double input_wait_s = 0;            ///< time that the input pipeline needs beyond all other parts
  double bubble_s = 0;                ///< time in which a pipeline's GPU is idle: filling, draining and uneven stages
  /// time added by model discrepancy and residuals; negative where they shorten the iteration
  double unexplained_s = 0;
  double slow_node_s = 0; ///< part of straggling_s that a slow node's compute causes
  ExposedParts exposed{}; ///< exposed_communication_s by kind of transfer, for pipelines and offload only
};

/// A part, and how answers show it.
struct NamedPart {
  const char* name; ///< name in words
  const char* key;  ///< name in JSON and CSV
  double IterationParts::*seconds;
  const char* meaning; ///< for the list of the keys of an answer
};

/// The parts in the order of a CSV row.
constexpr std::array<NamedPart, 8> named_parts{{
    {"compute", "compute_s", &IterationParts::compute_s,
     "one GPU's forward and backward; all parts, from this one to `bubble_s`, add up to `iteration_s`"},
    {"exposed communication", "exposed_communication_s", &IterationParts::exposed_communication_s,
     "what transfers add beyond the compute that they overlap with"},
    {"synchronisation", "synchronisation_s", &IterationParts::synchronisation_s,
     "cost of synchronisation itself: hooks, launches, the jump at the second node"},
    {"straggling", "straggling_s", &IterationParts::straggling_s,
     "waiting for the slowest node; 0 for ps-async, where no worker waits"},
    {"neighbours", "neighbours_s", &IterationParts::neighbours_s,
     "what other jobs on the same links between switches add"},
    {"input", "input_wait_s", &IterationParts::input_wait_s, "what the input pipeline needs beyond all other parts"},
    {"unexplained", "unexplained_s", &IterationParts::unexplained_s,
     "what the model's error and the residuals of measured series add to the parts before; negative where they shorten "
     "the iteration"},
    {"bubble", "bubble_s", &IterationParts::bubble_s,
     "model-parallel: in which a GPU idles because its pipeline fills and drains, and because other stages take "
     "longer"},
}};

double sum_s(const IterationParts& parts);

/// Times of a pass over an iteration's operations, or the mean of many passes: its end, and the parts that are no
/// communication.
struct IterationPass {
  double end_s = 0;
  double compute_s = 0;         ///< compute of an undisturbed GPU
  double slow_node_s = 0;       ///< time that a slow node adds to compute
  double synchronisation_s = 0; ///< cost of synchronisation inside the pass, for asynchronous workers only
  double free_end_s = 0;        ///< end of a pipeline's pass whose transfers take no time; else 0
  bool drawn = false;           ///< compute times were drawn at random, so end_s may be a little below their mean
};

/// Divides the pass into parts that add up to its end. Time that no other part accounts for is exposed communication,
/// which no other function computes.
IterationParts parts_of(const IterationPass& pass);

/// Returns the parts of an iteration that takes iteration_s. The difference to their sum becomes unexplained_s.
IterationParts parts_of_whole(IterationParts parts, double iteration_s);

} // namespace ddlsim
