#pragma once
// What the steps of a profiler's trace were spent on.

#include "calibrate/import/traces.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// A kernel of a GPU, or an operator on the processor where there is none, all its calls together.
struct TraceShare {
  std::string name;
  double time_s = 0; ///< of one step; of an operator less what it called
};

/// The part of the trace inside these steps, a step.
struct TraceAnatomy {
  double input_wait_s = 0;
  double compute_s = 0;            ///< some kernel but NCCL's ran; 0 where no GPU is in the trace
  double nccl_s = 0;               ///< some kernel of NCCL ran
  double exposed_s = 0;            ///< NCCL's ran, and no other
  std::vector<TraceShare> busiest; ///< the longest first
  /// How much longer kernels take while NCCL's run: the same kernels beside them and alone, weighed by time. Nothing
  /// where no kernel ran both ways.
  std::optional<double> slowdown_beside_nccl;
  int kernels_beside_nccl = 0; ///< calls that it is known from
  /// When gradients are ready, as shares of backward, the first to the last; as the processor launched it. Of the last
  /// step; empty where the trace has no AccumulateGrad.
  std::vector<double> gradients_ready;
};

TraceAnatomy anatomy_of(const KinetoTrace& trace, const std::vector<TraceInterval>& steps);

/// One sentence for each of them that is known; the names of kernels are shown harmless.
std::vector<std::string> to_sentences(const TraceAnatomy& anatomy);

} // namespace ddlsim
