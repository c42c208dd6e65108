#pragma once
// How the time of the steps in a profiler's trace was spent.

#include "import/traces.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// A GPU kernel, or without a GPU an operator on the processor, with the time of all its calls.
struct TraceShare {
  std::string name;
  double time_s = 0; ///< per step; an operator's time excludes that of operators it called
};

/// Times per step, from the part of the trace inside these steps.
struct TraceAnatomy {
  double input_wait_s = 0;
  double idle_s = 0;               ///< no kernel ran and the step did not wait for input; 0 without a GPU in the trace
  double compute_s = 0;            ///< a kernel other than NCCL's ran; 0 without a GPU in the trace
  double nccl_s = 0;               ///< a kernel of NCCL ran
  double exposed_s = 0;            ///< a kernel of NCCL ran, and no other
  std::vector<TraceShare> busiest; ///< the longest first
  /// The time of kernels beside NCCL's kernels over that of the same kernels alone, weighted by time. Nothing if no
  /// kernel ran both ways.
  std::optional<double> slowdown_beside_nccl;
  int kernels_beside_nccl = 0; ///< the number of calls behind it
  /// When gradients are ready, from the first to the last, as shares of backward (BackwardClock). Of the last step;
  /// empty if the trace has no AccumulateGrad.
  std::vector<double> gradients_ready;
};

/// The work of backward until some launch time on the processor. On a GPU only the time of kernels counts and not the
/// gaps: a profiler delays the processor, and so the GPU.
class BackwardClock {
public:
  BackwardClock(const KinetoTrace& trace, const TraceInterval& step);
  double worked_s(double launched_s) const;

private:
  double begin_s_ = 0;                      ///< the end of the step if there is no backward
  std::vector<std::array<double, 2>> work_; ///< launch time, and kernel time until its end; empty without a GPU
};

TraceAnatomy anatomy_of(const KinetoTrace& trace, const std::vector<TraceInterval>& steps);

/// One sentence for each figure that is known; names of kernels are made safe to print.
std::vector<std::string> to_sentences(const TraceAnatomy& anatomy);

/// Why a step without the profiler may take much less than the profiled `step_s`; nothing if it will not.
std::optional<std::string> suspicion_of(const TraceAnatomy& anatomy, double step_s);

} // namespace ddlsim
