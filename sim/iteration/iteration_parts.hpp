#pragma once
// The parts of an iteration: compute, the communication that does not hide behind it, and waiting.

#include <array>

namespace ddlsim {

/// Time that each kind of transfer adds to a pipeline's iteration, seconds. Kinds are switched on one after another, in
/// the order of the members; each counts what it adds to those before. For a pipeline the sum is
/// exposed_communication_s.
struct ExposedParts {
  double tensor_s = 0;        ///< all-gathers and reduce-scatters inside layers
  double context_s = 0;       ///< transfers of keys and values, and of their gradients
  double pipeline_s = 0;      ///< sends between stages
  double data_parallel_s = 0; ///< all-reduces, all-gathers and reduce-scatters among replicas
  double offload_s = 0;       ///< added by sharded state on the host; 0 for a pipeline
};

/// The parts of an iteration's time, which add up to it. All but unexplained_s are computed by the model's mechanisms;
/// slow_node_s and `exposed` split other parts further.
struct IterationParts {
  double compute_s = 0;               ///< one GPU's forward and backward
  double exposed_communication_s = 0; ///< time that transfers add beyond the compute they overlap with
  double synchronisation_s = 0;       ///< cost of synchronisation itself: hooks, launches, the jump at the second node
  double straggling_s = 0;            ///< waiting for the slowest node; 0 for ps-async, where no worker waits
  double neighbours_s = 0;            ///< added by other jobs on the same links between switches
  double input_wait_s = 0;            ///< time that the input pipeline needs beyond all other parts
  double bubble_s = 0;                ///< idle time of a pipeline's GPU: filling, draining and uneven stages
  double unexplained_s = 0; ///< added by model discrepancy and residuals; negative where they shorten the iteration
  double slow_node_s = 0;   ///< share of straggling_s that a slow node's compute causes
  ExposedParts exposed{};   ///< exposed_communication_s by kind of transfer; pipelines and offload only
};

/// A part, and how answers show it.
struct NamedPart {
  const char* name; ///< in words
  const char* key;  ///< in JSON and CSV
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

/// Times of a pass over an iteration's operations, or the mean over many passes: its end, and the parts that are no
/// communication.
struct IterationPass {
  double end_s = 0;
  double compute_s = 0;         ///< of the undisturbed GPU
  double slow_node_s = 0;       ///< added to compute by a slow node
  double synchronisation_s = 0; ///< cost of synchronisation inside the pass; asynchronous workers only
  double free_end_s = 0;        ///< end of a pipeline's pass if its transfers took no time; else 0
  bool drawn = false;           ///< compute times were drawn at random, so that end_s may be a little below their mean
};

/// Splits the pass into parts that add up to its end. Time that no other part accounts for is exposed communication;
/// no other function computes it.
IterationParts parts_of(const IterationPass& pass);

/// Returns the parts of an iteration that takes iteration_s: the difference to their sum becomes unexplained_s.
IterationParts parts_of_whole(IterationParts parts, double iteration_s);

} // namespace ddlsim
