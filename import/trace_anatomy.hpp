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
  double time_s = 0; ///< seconds for each step; the time of an operator excludes that of operators it called
};

/// Times for each step, by the part of the trace inside these steps.
struct TraceAnatomy {
  double input_wait_s = 0;
  double idle_s = 0; ///< time in which no kernel ran and the step did not wait for input; 0 without a GPU in the trace
  double compute_s = 0;            ///< time in which a kernel other than NCCL's ran; 0 without a GPU in the trace
  double nccl_s = 0;               ///< time in which a kernel of NCCL ran
  double exposed_s = 0;            ///< time in which a kernel of NCCL ran and no other
  std::vector<TraceShare> busiest; ///< kernels or operators, the longest first
  /// The time of kernels beside NCCL's kernels over that of the same kernels alone, weighted by time. Nothing if no
  /// kernel ran in both situations.
  std::optional<double> slowdown_beside_nccl;
  int kernels_beside_nccl = 0; ///< number of calls behind it
  /// When gradients are ready in the last step, from the first to the last, as shares of backward (BackwardClock).
  /// Empty if the trace has no AccumulateGrad.
  std::vector<double> gradients_ready;
};

/// The work of backward until some launch time on the processor. On a GPU only the time of kernels counts, and not the
/// gaps, because a profiler delays the processor and so the GPU.
class BackwardClock {
public:
  BackwardClock(const KinetoTrace& trace, const TraceInterval& step);
  double worked_s(double launched_s) const;

private:
  double begin_s_ = 0; ///< beginning of backward; the end of the step if there is no backward
  /// launch times, each with the kernel time until its end; empty without a GPU
  std::vector<std::array<double, 2>> work_;
};

TraceAnatomy anatomy_of(const KinetoTrace& trace, const std::vector<TraceInterval>& steps);

/// Returns one sentence for each figure that is known. Names of kernels are made safe to print.
std::vector<std::string> to_sentences(const TraceAnatomy& anatomy);

/// Returns why a step without the profiler may take much less than the profiled `step_s`; nothing if it will not.
std::optional<std::string> suspicion_of(const TraceAnatomy& anatomy, double step_s);

} // namespace ddlsim
