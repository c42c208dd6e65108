#pragma once
// The parts of an iteration: compute, the communication that does not hide behind it, and waiting.

#include <array>

namespace ddlsim {

/// What the transfers of a pipeline add to its iteration, kind after kind: first those inside layers alone, then
/// keys and values, the sends beside them, and what replicas do. Of a pipeline they add up to exposed_communication_s.
struct ExposedParts {
  double tensor_s = 0;        ///< gathers and scatters inside layers
  double context_s = 0;       ///< keys and values, and their gradients
  double pipeline_s = 0;      ///< sends between stages
  double data_parallel_s = 0; ///< all-reduces, all-gathers and reduce-scatters among replicas
  double offload_s = 0;       ///< not of a pipeline: what sharded state on the host adds
};

/// They add up to the iteration's time. All but the last are what the mechanisms cost by themselves.
struct IterationParts {
  double compute_s = 0;               ///< one GPU's forward and backward
  double exposed_communication_s = 0; ///< what moving gradients adds beyond compute, overlap taken off
  double synchronisation_s = 0;       ///< cost of synchronisation itself: hooks, launches, the jump at the second node
  double straggling_s = 0;            ///< waiting for the slowest node; 0 for ps-async, where no worker waits
  double neighbours_s = 0;            ///< what other jobs on the same links between switches add
  double input_wait_s = 0;            ///< what the input pipeline needs beyond all else
  double bubble_s = 0;      ///< in which a GPU of a pipeline idles: its filling and draining, and uneven stages
  double unexplained_s = 0; ///< what the model discrepancy and residuals add to the mechanisms, or take away (negative)
  double slow_node_s = 0;   ///< of straggling_s: what a slow node's compute takes longer
  ExposedParts exposed{};   ///< exposed_communication_s of a pipeline, by what travels; with offload
};

/// A part as answers name it.
struct NamedPart {
  const char* name; ///< in words
  const char* key;  ///< in JSON and CSV
  double IterationParts::*seconds;
};

/// In the order of a CSV row.
constexpr std::array<NamedPart, 8> named_parts{{
    {"compute", "compute_s", &IterationParts::compute_s},
    {"exposed communication", "exposed_communication_s", &IterationParts::exposed_communication_s},
    {"synchronisation", "synchronisation_s", &IterationParts::synchronisation_s},
    {"straggling", "straggling_s", &IterationParts::straggling_s},
    {"neighbours", "neighbours_s", &IterationParts::neighbours_s},
    {"input", "input_wait_s", &IterationParts::input_wait_s},
    {"unexplained", "unexplained_s", &IterationParts::unexplained_s},
    {"bubble", "bubble_s", &IterationParts::bubble_s},
}};

double sum_s(const IterationParts& parts);

/// What a pass over the operations of an iteration, or the mean of many, took, and what of it is no communication.
struct IterationPass {
  double end_s = 0;
  double compute_s = 0;         ///< of the undisturbed GPU
  double slow_node_s = 0;       ///< what a slow node's compute adds to it
  double synchronisation_s = 0; ///< that is in the pass: of asynchronous workers
  double free_end_s = 0;        ///< of a pipeline: its end if its transfers took no time; else 0
  bool drawn = false;           ///< the mean of drawn computes, which may end a little before their mean
};

/// Parts that add up to the end of the pass: communication is exposed where nothing else accounts for the time. This
/// alone computes what is exposed.
IterationParts parts_of(const IterationPass& pass);

/// The same for an iteration that takes so long: what the other parts leave is unexplained.
IterationParts parts_of_whole(IterationParts parts, double iteration_s);

} // namespace ddlsim
