#pragma once
// A trace of the PyTorch profiler (Kineto): Chrome trace JSON with "traceEvents".

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// Seconds from the trace's beginning of time.
struct TraceInterval {
  double begin_s = 0;
  double end_s = 0;
};

struct KinetoTrace {
  int world_size = 0;                     ///< of distributedInfo; 0: not there, one process alone
  std::string device;                     ///< of deviceProperties; "" on the CPU
  std::vector<TraceInterval> steps;       ///< ProfilerStep#N, by time
  std::vector<TraceInterval> input_waits; ///< enumerate(DataLoader)#...
  std::vector<TraceInterval> compute;     ///< kernels of the GPU but NCCL's
  std::vector<TraceInterval> nccl;        ///< kernels of NCCL, old names and new
};

/// Reads event by event: a trace of gigabytes needs no memory but for its kernels. Throws UserError: no JSON, cut short,
/// no "traceEvents".
KinetoTrace read_kineto(const std::filesystem::path& file);

/// Time that is in one of `all` and, where given, in none of `but`; both in any order.
double covered_s(const std::vector<TraceInterval>& all, const std::vector<TraceInterval>& but = {});

} // namespace ddlsim
