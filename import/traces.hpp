#pragma once
// Traces of a training as Chrome trace JSON, from the PyTorch profiler and from Horovod.

#include "import/log_source.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

// A trace of the PyTorch profiler: Kineto's Chrome trace JSON with "traceEvents", or the bare list of events that a
// PyTorch built without Kineto (Debian's) writes.

/// An interval, in seconds from the zero of the trace's clock.
struct TraceInterval {
  double begin_s = 0;
  double end_s = 0;
};

/// A kernel, an operator or a module.
struct TraceCall {
  TraceInterval interval;
  int name = 0;       ///< position among the trace's names
  long thread = 0;    ///< thread of an operator or a module
  int shapes = -1;    ///< position of an operator's inputs among the trace's shapes; -1: not recorded
  long sequence = -1; ///< number that an operator shares with its backward node; -1: none
  long id = -1;       ///< place of an operator in the order of calls, or launcher of a kernel; -1: not stated
};

/// The dimensions of each input, in order. They are empty for a scalar and for an input that is no tensor, except a
/// pool's window.
using TraceShapes = std::vector<std::vector<long>>;

inline constexpr std::size_t pool_window = 1;  ///< position of a pool's window among its inputs
bool has_pool_window(const std::string& name); ///< an adaptive pool has the dimensions of its output at that position

struct KinetoTrace {
  int world_size = 0; ///< world size of distributedInfo; 0: it is not there
  /// whether the file describes a whole job; a bare list of events (false) tells nothing about other processes
  bool is_whole_job = true;
  bool has_others = false;                ///< whether some call or kernel communicates between processes
  std::string device;                     ///< name in deviceProperties; "" on the CPU
  std::vector<TraceInterval> steps;       ///< intervals of ProfilerStep#N, ordered by time
  std::vector<TraceInterval> input_waits; ///< intervals of enumerate(DataLoader)#...
  std::vector<TraceCall> kernels;         ///< kernels of the GPU except NCCL's
  std::vector<TraceCall> operators;       ///< operators of PyTorch on the processor, nested ones included
  std::vector<TraceCall> modules;         ///< calls of nn.Module, if the profiler recorded them
  std::vector<std::string> names;         ///< names of kernels, operators and modules
  std::vector<TraceShapes> shapes;        ///< shapes of operators' inputs
  std::vector<TraceInterval> nccl;        ///< kernels of NCCL, under old names and new ones
  /// input types of convolutions and matrix products, such as "c10::Half", with numbers of calls
  std::map<std::string, int> product_types;
  std::map<std::string, int> gradient_types; ///< types of summed gradients (AccumulateGrad), with numbers of calls
};

/// Reads event by event, so that a trace of gigabytes needs memory only for its calls. Throws UserError if the file is
/// not JSON, is cut off, or has neither "traceEvents" nor a list.
KinetoTrace read_kineto(LogSource& source);

/// Computes how much of an interval some other intervals cover.
class TraceCover {
public:
  explicit TraceCover(std::vector<TraceInterval> intervals);
  double shared_s(const TraceInterval& other) const;

private:
  std::vector<TraceInterval> whole_; ///< sorted intervals, none of which touches the next
};

/// Returns the seconds that at least one interval of `all` covers and none of `but` does. Both may be in any order.
double covered_s(const std::vector<TraceInterval>& all, const std::vector<TraceInterval>& but = {});

// Horovod's timeline (HOROVOD_TIMELINE=FILE): Chrome trace JSON with a process for each tensor. It often lacks its end,
// because the job was killed or still runs.

struct HorovodTimeline {
  int ranks = 0;                           ///< number of ranks that took part in negotiations; 0: the file has none
  int tensors = 0;                         ///< number of tensors that were all-reduced
  std::string library;                     ///< "nccl", "mpi" or "gloo"; "": not stated
  bool is_cut = false;                     ///< whether the file ends within the list
  std::vector<double> steps_s;             ///< seconds between all-reduces of the tensor that was reduced most often
  std::vector<TraceInterval> negotiations; ///< negotiations of gradients, of all tensors
  /// intervals from the end of a negotiation to the end of the all-reduce, of all tensors
  std::vector<TraceInterval> all_reduces;
  std::vector<TraceInterval> library_calls; ///< the parts of these inside NCCL, MPI or Gloo
};

/// Reads event by event. Of a file that ends early it returns what was read up to there. Throws UserError if the file
/// has no such JSON before that.
HorovodTimeline read_horovod_timeline(LogSource& source);

} // namespace ddlsim
