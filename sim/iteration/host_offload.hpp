#pragma once
// Sharded state in host memory: what it costs to copy it there and back, and to update it there.

#include "sim/formats/cluster.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/strategy.hpp"
#include "sim/iteration/graph.hpp"

#include <cstddef>
#include <string>

namespace ddlsim {

/// Bytes of a parameter on the host. Gradients are cast to fp32 before they leave the GPU, and updated parameters come
/// as fp32 (deepspeed/runtime/zero/stage_1_and_2.py at 022f223; foreach_reduce() in
/// torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py at 010ae4a).
constexpr double host_copy_bytes = 4;
/// A micro-batch's gradient is added to the sum of those before: two are read, one is written.
constexpr double host_sum_bytes = 3 * 4;
/// Adam reads parameter, gradient and two moments, and writes all but the gradient.
constexpr double host_update_bytes = 7 * 4;
/// Parameter, gradient and two moments, all fp32 (Rajbhandari et al., ZeRO, SC 2020, section 3.1).
constexpr double host_state_bytes = 4 * 4;

/// What a parameter takes, seconds, while all GPUs of a node do the same.
struct HostSeconds {
  double copy = 0;   ///< one direction; the other is free meanwhile
  double sum = 0;    ///< of a micro-batch
  double update = 0; ///< by the optimizer
};

/// GPUs that share a link divide it, and all of a node divide the bandwidth of its memory, which copies pass, too.
HostSeconds host_seconds(const Cluster& cluster, int gpus_of_node);

bool is_offloaded(const Strategy& strategy);

/// Bytes of host memory that a node needs at least for what is offloaded; 0 without offload.
double least_host_memory(const Model& model, const Strategy& strategy, int gpus, int gpus_per_node);

/// Why that cannot be run there: what the cluster does not state, or does not have; "" where it can.
std::string offload_complaint(const Model& model, const Cluster& cluster, const Strategy& strategy, int gpus,
                              int gpus_per_node);

/// Adds to a graph what one GPU and its host do: copies each way on a stream of their own, the processors' work on a
/// third.
class HostStreams {
public:
  /// The graph must outlive this.
  HostStreams(Graph& graph, std::size_t role, const HostSeconds& seconds);

  /// Gradients of so many parameters leave when operation `after` has ended; with `sum` those before are added there.
  void copy_gradients(double parameters, std::size_t after, bool sum);

  /// The optimizer, when all gradients are there.
  std::size_t update(double parameters);

  /// Parameters come; the caller adds what they wait for.
  std::size_t copy_parameters(double parameters);

private:
  std::size_t add(OperationKind kind, std::size_t stream, double parameters, double seconds);

  Graph& graph_;
  HostSeconds seconds_;
  std::size_t to_host_ = 0;    ///< stream
  std::size_t processors_ = 0; ///< the same
  std::size_t from_host_ = 0;  ///< the same
  std::size_t last_copy_ = 0;  ///< operation
};

/// The same graph where what the host does takes no time.
Graph without_host(Graph graph);

} // namespace ddlsim
