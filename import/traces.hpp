#pragma once
// Traces of a training as Chrome trace JSON: the PyTorch profiler's and Horovod's.

#include "import/log_source.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

// A trace of the PyTorch profiler: Kineto's Chrome trace JSON with "traceEvents", or the bare list of events that a
// PyTorch built without Kineto writes (Debian's).

/// An interval in seconds from the zero of the trace's clock.
struct TraceInterval {
  double begin_s = 0;
  double end_s = 0;
};

/// A kernel, an operator or a module.
struct TraceCall {
  TraceInterval interval;
  int name = 0;       ///< position among the trace's names
  long thread = 0;    ///< of an operator or a module
  int shapes = -1;    ///< of an operator's inputs: position among the trace's shapes; -1: not recorded
  long sequence = -1; ///< of an operator: the number that it shares with its backward node; -1: none
  long id = -1;       ///< of an operator: its place in the order of calls; of a kernel: its launcher; -1: not stated
};

/// For each input its dimensions, in order; empty for a scalar and for an input that is no tensor, except a pool's
/// window.
using TraceShapes = std::vector<std::vector<long>>;

inline constexpr std::size_t pool_window = 1;  ///< position of a pool's window among its inputs
bool has_pool_window(const std::string& name); ///< an adaptive pool has its output's dimensions there

struct KinetoTrace {
  int world_size = 0;                        ///< of distributedInfo; 0: not there
  bool is_whole_job = true;                  ///< false: a bare list says nothing about other processes
  bool has_others = false;                   ///< some call or kernel communicates between processes
  std::string device;                        ///< of deviceProperties; "" on the CPU
  std::vector<TraceInterval> steps;          ///< ProfilerStep#N, ordered by time
  std::vector<TraceInterval> input_waits;    ///< enumerate(DataLoader)#...
  std::vector<TraceCall> kernels;            ///< of the GPU, without NCCL's
  std::vector<TraceCall> operators;          ///< of PyTorch on the processor, including nested ones
  std::vector<TraceCall> modules;            ///< calls of nn.Module, if the profiler recorded them
  std::vector<std::string> names;            ///< of kernels, operators and modules
  std::vector<TraceShapes> shapes;           ///< of operators' inputs
  std::vector<TraceInterval> nccl;           ///< kernels of NCCL, old names and new
  std::map<std::string, int> product_types;  ///< input types of convolutions and matrix products, as "c10::Half"
  std::map<std::string, int> gradient_types; ///< types of summed gradients (AccumulateGrad), with numbers of calls
};

/// Reads event by event, so that a trace of gigabytes needs memory only for its calls. Throws UserError if it is not
/// JSON, is cut short, or has neither "traceEvents" nor a list.
KinetoTrace read_kineto(LogSource& source);

/// Computes how much of an interval some other intervals cover.
class TraceCover {
public:
  explicit TraceCover(std::vector<TraceInterval> intervals);
  double shared_s(const TraceInterval& other) const;

private:
  std::vector<TraceInterval> whole_; ///< sorted; none touches the next
};

/// Seconds that at least one interval of `all` covers and none of `but` does. Both may be in any order.
double covered_s(const std::vector<TraceInterval>& all, const std::vector<TraceInterval>& but = {});

// Horovod's timeline (HOROVOD_TIMELINE=FILE): Chrome trace JSON with a process for each tensor. It often lacks its end
// because the job was killed or is still running.

struct HorovodTimeline {
  int ranks = 0;                            ///< that took part in negotiations; 0: the file has none
  int tensors = 0;                          ///< that were all-reduced
  std::string library;                      ///< nccl, mpi, gloo; "": not stated
  bool is_cut = false;                      ///< the file ends within the list
  std::vector<double> steps_s;              ///< between all-reduces of the most often reduced tensor
  std::vector<TraceInterval> negotiations;  ///< of gradients, all tensors
  std::vector<TraceInterval> all_reduces;   ///< from the end of a negotiation to the end of the all-reduce, all tensors
  std::vector<TraceInterval> library_calls; ///< the parts inside NCCL, MPI or Gloo
};

/// Reads event by event. A file that ends early gives what it has so far. Throws UserError if it has no such JSON
/// before that.
HorovodTimeline read_horovod_timeline(LogSource& source);

} // namespace ddlsim
