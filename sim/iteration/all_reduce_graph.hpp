#pragma once
// Data parallelism by all-reduce: groups of gradients are all-reduced over all workers, one group after another, during
// backward or after it.

#include "sim/compute/layer_times.hpp"
#include "sim/formats/preset.hpp"
#include "sim/iteration/graph.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

// Functions that add one role's forward and backward to a graph.

/// The stream of compute of a role, while operations are added to it.
struct ComputeStream {
  std::size_t stream = 0;
  double slowdown = 1;  ///< factor by which the role's GPUs compute more slowly
  double done_s = 0;    ///< seconds of an undisturbed GPU's iteration that are in the stream so far
  std::size_t last = 0; ///< number of the operation that was added last
};

std::size_t add_forward(Graph& graph, ComputeStream& compute, const ComputeProfile& profile);

/// Adds the part of backward that ends when the tensor's gradient is ready; returns the operation's number.
std::size_t add_gradient(Graph& graph, ComputeStream& compute, const ReadyTensor& tensor);

/// Adds the rest of backward after the last gradient is ready; returns the last operation of the iteration's compute.
std::size_t add_rest(Graph& graph, ComputeStream& compute, const ComputeProfile& profile);

/// Gives the stream's operations the durations of another profile of the same tensors. Returns false where only one of
/// the two profiles has compute left after its last gradient; the graph must then be built again.
bool time_compute(Graph& graph, ComputeStream compute, const ComputeProfile& profile);

/// The groups of tensors that all_reduce_graph() makes: for each group the index one past its last tensor.
std::vector<std::size_t> group_ends(const ComputeProfile& profile, const Preset& preset);

/// Forward, backward and all-reduces of one role, by the preset's grouping:
///   buckets     tensors in ready order fill a bucket until it holds first_bucket_bytes, later ones bucket_bytes, of
///               uncompressed gradients: a hook compresses whole buckets
///               (torch/csrc/distributed/c10d/reducer.cpp counts numel x element_size; ddp_comm_hooks)
///   per-tensor  one operation a tensor
///   single      everything in one operation after backward
///   fusion      one operation a tensor, which the stream fuses: half a cycle_s after a tensor is ready, or when the
///               last operation ended, all ready tensors are reduced in operations of at most bucket_bytes on the
///               wire. Horovod gets compressed tensors (horovod/torch/optimizer.py compresses before
///               allreduce_async_)
/// With preset.overlapped false all-reduces wait for the end of backward. The caller sets the algorithm, the software
/// cost of an operation, and the interference.
///
/// `profile` has the times of the whole batch. Of several micro-batches only the last one's backward has all-reduces,
/// because gradients are added up before (no_sync() of torch/nn/parallel/distributed.py).
Graph all_reduce_graph(const ComputeProfile& profile, const Preset& preset, const Machine& machine,
                       int micro_batches = 1);

/// The profile of one of several micro-batches of equal size.
ComputeProfile one_of_micro_batches(ComputeProfile profile, int micro_batches);

} // namespace ddlsim
