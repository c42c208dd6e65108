#pragma once
// Offload of sharded state to host memory: the time to copy the state there and back, and to update it there.

#include "sim/formats/cluster.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/strategy.hpp"
#include "sim/iteration/graph.hpp"

#include <cstddef>
#include <string>

namespace ddlsim {

/// Bytes of a parameter on the host, in fp32. Gradients are cast to fp32 before they leave the GPU, and updated
/// parameters come as fp32 (deepspeed/runtime/zero/stage_1_and_2.py at 022f223; foreach_reduce() in
/// torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py at 010ae4a).
constexpr double host_copy_bytes = 4;
/// Bytes that the host reads and writes to add a parameter's gradient to the sum of earlier micro-batches: it reads two
/// values and writes one.
constexpr double host_sum_bytes = 3 * 4;
/// Bytes that Adam reads and writes for a parameter: it reads parameter, gradient and two moments, and writes all but
/// the gradient.
constexpr double host_update_bytes = 7 * 4;
/// Bytes of a parameter's state: parameter, gradient and two moments, all fp32 (Rajbhandari et al., ZeRO, SC 2020,
/// section 3.1).
constexpr double host_state_bytes = 4 * 4;

/// Seconds that each parameter takes while all GPUs of a node do the same.
struct HostSeconds {
  double copy = 0;   ///< copy in one direction, while the other direction is free
  double sum = 0;    ///< addition of a micro-batch's gradient
  double update = 0; ///< update by the optimizer
};

/// Returns the seconds that each parameter takes. GPUs that share a link divide its rate. All GPUs of a node divide the
/// bandwidth of host memory, which copies use too.
HostSeconds host_seconds(const Cluster& cluster, int gpus_of_node);

bool is_offloaded(const Strategy& strategy);

/// Returns the least bytes of host memory that a node needs for offloaded state; 0 without offload.
double least_host_memory(const Model& model, const Strategy& strategy, int gpus, int gpus_per_node);

/// Returns one sentence that says what the offload needs and the cluster does not state or does not have; "" where it
/// can run.
std::string offload_complaint(const Model& model, const Cluster& cluster, const Strategy& strategy, int gpus,
                              int gpus_per_node);

/// Adds the operations of offload to a graph. Copies in each direction have a stream of their own, and the work of the
/// host's processors has a third.
class HostStreams {
public:
  /// The graph must outlive this object.
  HostStreams(Graph& graph, std::size_t role, const HostSeconds& seconds);

  /// Adds the copy of the gradients of `parameters` parameters to the host, which begins once operation `after` has
  /// ended. With `sum` the host then adds them to the gradients of earlier micro-batches.
  void copy_gradients(double parameters, std::size_t after, bool sum);

  /// Adds the optimizer's update on the host, which begins once all gradients are there; returns its number.
  std::size_t update(double parameters);

  /// Adds the copy of `parameters` parameters to the GPU, and returns its number. The caller adds what the copy waits
  /// for.
  std::size_t copy_parameters(double parameters);

private:
  std::size_t add(OperationKind kind, std::size_t stream, double parameters, double seconds);

  Graph& graph_;
  HostSeconds seconds_;
  std::size_t to_host_ = 0;    ///< stream of copies to the host
  std::size_t processors_ = 0; ///< stream of the processors' work
  std::size_t from_host_ = 0;  ///< stream of copies from the host
  std::size_t last_copy_ = 0;  ///< the last operation that copied gradients
};

/// Returns the graph with a duration of 0 for every operation of the host.
Graph without_host(Graph graph);

} // namespace ddlsim
