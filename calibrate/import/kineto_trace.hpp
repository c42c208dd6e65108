#pragma once
// A trace of the PyTorch profiler: Kineto's Chrome trace JSON with "traceEvents", or the bare list of events that a
// PyTorch built without Kineto writes (Debian's).

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// Seconds from the trace's beginning of time.
struct TraceInterval {
  double begin_s = 0;
  double end_s = 0;
};

/// A kernel or an operator.
struct TraceCall {
  TraceInterval interval;
  int name = 0;    ///< its place among the trace's names
  long thread = 0; ///< of an operator
};

struct KinetoTrace {
  int world_size = 0;                     ///< of distributedInfo; 0: not there, one process alone
  bool is_whole_job = true;               ///< a bare list says nothing of other processes
  std::string device;                     ///< of deviceProperties; "" on the CPU
  std::vector<TraceInterval> steps;       ///< ProfilerStep#N, by time
  std::vector<TraceInterval> input_waits; ///< enumerate(DataLoader)#...
  std::vector<TraceCall> kernels;         ///< of the GPU but NCCL's
  std::vector<TraceCall> operators;       ///< of PyTorch on the processor, those inside others too
  std::vector<std::string> names;         ///< of kernels and operators
  std::vector<TraceInterval> nccl;        ///< kernels of NCCL, old names and new
};

/// Reads event by event: a trace of gigabytes needs no memory but for its kernels. Throws UserError: no JSON, cut short,
/// no "traceEvents" and no list.
KinetoTrace read_kineto(const std::filesystem::path& file);

/// Time that some intervals cover, asked for many others.
class TraceCover {
public:
  explicit TraceCover(std::vector<TraceInterval> intervals);
  double shared_s(const TraceInterval& other) const;

private:
  std::vector<TraceInterval> whole_; ///< sorted, and none touches the next
};

/// Time that is in one of `all` and, where given, in none of `but`; both in any order.
double covered_s(const std::vector<TraceInterval>& all, const std::vector<TraceInterval>& but = {});

} // namespace ddlsim
