#pragma once
// Data parallelism by all-reduce: groups of gradients are summed over all workers, one group after another, beside
// backward or after it.

#include "sim/compute/layer_times.hpp"
#include "sim/formats/preset.hpp"
#include "sim/iteration/graph.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

// Forward and backward of one role as operations.

/// A role's stream of compute while it is being filled.
struct ComputeStream {
  std::size_t stream = 0;
  double slowdown = 1;  ///< of the role's GPUs
  double done_s = 0;    ///< of the undisturbed GPU's iteration
  std::size_t last = 0; ///< operation
};

std::size_t add_forward(Graph& graph, ComputeStream& compute, const ComputeProfile& profile);

/// Backward until the tensor's gradient is ready.
std::size_t add_gradient(Graph& graph, ComputeStream& compute, const ReadyTensor& tensor);

/// What is left of backward once every gradient is ready; the last operation of the iteration's compute.
std::size_t add_rest(Graph& graph, ComputeStream& compute, const ComputeProfile& profile);

/// Gives the stream's operations the durations of another profile of the same tensors. False where one of the two
/// profiles has something left behind its last gradient and the other has not: the graph is then another.
bool time_compute(Graph& graph, ComputeStream compute, const ComputeProfile& profile);

/// One past the last tensor of each group that all_reduce_graph() makes.
std::vector<std::size_t> group_ends(const ComputeProfile& profile, const Preset& preset);

/// Forward, backward and all-reduces of one role, by the preset's grouping:
///   buckets     tensors in ready order fill a bucket until it holds first_bucket_bytes, later ones bucket_bytes, of
///               gradients as backward leaves them: what a hook compresses is a bucket already
///               (torch/csrc/distributed/c10d/reducer.cpp counts numel x element_size; ddp_comm_hooks)
///   per-tensor  one operation a tensor
///   single      everything in one operation after backward
///   fusion      one operation a tensor, which the stream fuses: half a cycle_s after a tensor is ready, or when the
///               last operation ended, whatever is ready, in operations of at most bucket_bytes on the wire: Horovod is
///               handed tensors that are compressed already (horovod/torch/optimizer.py compresses before
///               allreduce_async_)
/// With preset.overlapped false all-reduces wait for backward's end. The caller sets the algorithm, what an operation
/// costs in software, and the interference.
Graph all_reduce_graph(const ComputeProfile& profile, const Preset& preset, const Machine& machine);

} // namespace ddlsim
