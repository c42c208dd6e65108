#pragma once
// One iteration with overlapped all-reduce: gradients are grouped, groups run one after another on the communication
// stream. Beside it the input pipeline brings samples to the GPUs.

#include "sim/compute/layer_times.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/preset.hpp"
#include "sim/formats/scenario.hpp"

#include <functional>
#include <vector>

namespace ddlsim {

/// One operation on the communication stream.
struct GroupSpan {
  double size_bytes = 0;
  int tensors = 0;
  double start_s = 0;
  double end_s = 0;
};

struct Timeline {
  double compute_end_s = 0; ///< backward's end, slowed by interference
  double end_s = 0;         ///< the later of backward and the last group
  std::vector<GroupSpan> groups;
};

/// Duration of one operation: (bytes, tensors in it) -> seconds.
using OperationTime = std::function<double(double size_bytes, int tensors)>;

/// Runs the preset's grouping against the profile:
///   buckets     tensors in ready order fill a bucket until it holds first_bucket_bytes, later ones bucket_bytes, of
///               gradients as backward leaves them: what a hook compresses is a bucket already
///               (torch/csrc/distributed/c10d/reducer.cpp counts numel x element_size; ddp_comm_hooks)
///   per-tensor  one operation a tensor
///   single      everything in one operation after backward
///   fusion      every cycle_s, or when the last operation ended, whatever is ready, in operations of at most
///               bucket_bytes on the wire: Horovod is handed tensors that are compressed already
///               (horovod/torch/optimizer.py compresses before allreduce_async_)
/// With preset.overlapped false the first operation waits for backward's end. While the stream is busy, compute
/// advances 1/(1 + interference) as fast.
Timeline run_timeline(const ComputeProfile& profile, const Preset& preset, double interference,
                      const OperationTime& operation);

/// Time in which a node gets the samples of one iteration, seconds: the longest of
///   samples / loader rate                        the node's cores decode and augment
///   samples x bytes / the node's own read rate
///   nodes x samples x bytes / the shared read rate
/// because loading, reading and training are a pipeline with prefetch; 0 for a scenario without input (synthetic data).
double input_s(const InputPipeline& input, const Storage& storage, int nodes, double samples_per_node);

} // namespace ddlsim
