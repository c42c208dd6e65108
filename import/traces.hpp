#pragma once
// Traces of a training that programs write as Chrome trace JSON: the PyTorch profiler's and Horovod's.

#include "import/log_source.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

// A trace of the PyTorch profiler: Kineto's Chrome trace JSON with "traceEvents", or the bare list of events that a
// PyTorch built without Kineto writes (Debian's).

/// Seconds from the trace's beginning of time.
struct TraceInterval {
  double begin_s = 0;
  double end_s = 0;
};

/// A kernel, an operator or a module.
struct TraceCall {
  TraceInterval interval;
  int name = 0;       ///< its place among the trace's names
  long thread = 0;    ///< of an operator or a module
  int shapes = -1;    ///< of an operator's inputs: their place among the trace's shapes; -1: not recorded
  long sequence = -1; ///< of an operator: the number that its node of backward has too; -1: none
  long id = -1;       ///< of an operator: by the order of calls; of a kernel: who launched it; -1: not stated
};

/// Lengths of each input's dimensions, in order; of what is no tensor, and of a scalar, none, but for a pool's window.
using TraceShapes = std::vector<std::vector<long>>;

inline constexpr std::size_t pool_window = 1;  ///< the place of a pool's window among its inputs
bool has_pool_window(const std::string& name); ///< an adaptive pool has the lengths of its output there

struct KinetoTrace {
  int world_size = 0;                        ///< of distributedInfo; 0: not there
  bool is_whole_job = true;                  ///< a bare list says nothing of other processes
  bool has_others = false;                   ///< some call or kernel is of communication among processes
  std::string device;                        ///< of deviceProperties; "" on the CPU
  std::vector<TraceInterval> steps;          ///< ProfilerStep#N, by time
  std::vector<TraceInterval> input_waits;    ///< enumerate(DataLoader)#...
  std::vector<TraceCall> kernels;            ///< of the GPU but NCCL's
  std::vector<TraceCall> operators;          ///< of PyTorch on the processor, those inside others too
  std::vector<TraceCall> modules;            ///< calls of nn.Module, where the profiler recorded them
  std::vector<std::string> names;            ///< of kernels, operators and modules
  std::vector<TraceShapes> shapes;           ///< of operators' inputs
  std::vector<TraceInterval> nccl;           ///< kernels of NCCL, old names and new
  std::map<std::string, int> product_types;  ///< what convolutions and products of matrices were given, as "c10::Half"
  std::map<std::string, int> gradient_types; ///< what was summed (AccumulateGrad); numbers of calls
};

/// Reads event by event: a trace of gigabytes needs no memory but for its kernels. Throws UserError: no JSON, cut
/// short, no "traceEvents" and no list.
KinetoTrace read_kineto(LogSource& source);

/// The time that some intervals cover of many others.
class TraceCover {
public:
  explicit TraceCover(std::vector<TraceInterval> intervals);
  double shared_s(const TraceInterval& other) const;

private:
  std::vector<TraceInterval> whole_; ///< sorted, and none touches the next
};

/// Seconds that at least one interval of `all` covers and none of `but`. Both may be in any order.
double covered_s(const std::vector<TraceInterval>& all, const std::vector<TraceInterval>& but = {});

// Horovod's timeline (HOROVOD_TIMELINE=FILE): Chrome trace JSON, a process for each tensor; often not closed, because
// the job was killed or is running yet.

struct HorovodTimeline {
  int ranks = 0;                            ///< that answered in negotiations; 0: the file has none
  int tensors = 0;                          ///< that were summed
  std::string library;                      ///< nccl, mpi, gloo; "": not stated
  bool is_cut = false;                      ///< the file ends within the list
  std::vector<double> steps_s;              ///< from one sum to the next of the tensor that was summed most often
  std::vector<TraceInterval> negotiations;  ///< of gradients, all tensors
  std::vector<TraceInterval> sums;          ///< from the end of a negotiation to the sum's, all tensors
  std::vector<TraceInterval> library_calls; ///< the part of it inside NCCL, MPI or Gloo
};

/// Reads event by event. A file that ends early gives what it has; throws UserError where it is no such JSON before
/// that.
HorovodTimeline read_horovod_timeline(LogSource& source);

} // namespace ddlsim
