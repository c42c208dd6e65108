#pragma once
// What the steps of a profiler's trace were spent on.

#include "import/traces.hpp"

#include <array>
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
  double idle_s = 0;               ///< no kernel ran and no input was waited for; 0 where no GPU is in the trace
  double compute_s = 0;            ///< some kernel but NCCL's ran; 0 where no GPU is in the trace
  double nccl_s = 0;               ///< some kernel of NCCL ran
  double exposed_s = 0;            ///< NCCL's ran, and no other
  std::vector<TraceShare> busiest; ///< the longest first
  /// How much longer kernels take while NCCL's run: the same kernels beside them and alone, weighed by time. Nothing
  /// where no kernel ran both ways.
  std::optional<double> slowdown_beside_nccl;
  int kernels_beside_nccl = 0; ///< calls that it is known from
  /// When gradients are ready, as shares of backward (BackwardClock), the first to the last. Of the last step; empty
  /// where the trace has no AccumulateGrad.
  std::vector<double> gradients_ready;
};

/// How long backward has worked on what the processor launched by some time. On a GPU its kernels count, and not what
/// lies between them: a profiler holds the processor up, and so the GPU.
class BackwardClock {
public:
  BackwardClock(const KinetoTrace& trace, const TraceInterval& step);
  double worked_s(double launched_s) const;

private:
  double begin_s_ = 0;                      ///< the end of a step without backward
  std::vector<std::array<double, 2>> work_; ///< launched at, kernels until its end; empty without a GPU
};

TraceAnatomy anatomy_of(const KinetoTrace& trace, const std::vector<TraceInterval>& steps);

/// One sentence for each of them that is known; the names of kernels are shown harmless.
std::vector<std::string> to_sentences(const TraceAnatomy& anatomy);

/// Why a step without the profiler may take much less than `step_s`, as a profiled one did; nothing where it will not.
std::optional<std::string> suspicion_of(const TraceAnatomy& anatomy, double step_s);

} // namespace ddlsim
