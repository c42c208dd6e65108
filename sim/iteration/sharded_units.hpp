#pragma once
// The units of sharded data parallelism on a rank: when each is gathered, freed and scattered.

#include "sim/compute/unit_shape.hpp"
#include "sim/formats/strategy.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/iteration/host_offload.hpp"
#include "sim/iteration/sharded_graph.hpp"

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace ddlsim {

/// The streams and groups of what travels. A group is an index in Graph::groups; -1: the graph has no groups.
struct UnitCarriers {
  static constexpr std::size_t no_stream = std::numeric_limits<std::size_t>::max();

  std::size_t collectives = 0;  ///< stream of gathers and scatters
  std::size_t sums = no_stream; ///< stream of all-reduces across copies of the state; no_stream: there is one copy
  int of_shards = -1;           ///< gathers
  int of_scatters = -1;         ///< scatters
  int of_copies = -1;           ///< all-reduces across copies
  int of_expert_shards = -1;    ///< gathers and scatters of experts; -1: none
  double dense_part = 1;        ///< part of a unit's other parameters that a rank computes with
  double expert_part = 1;       ///< part of a unit's experts that a rank computes with
  bool experts_apart = false;   ///< experts are on several ranks, so that other ranks share them
  bool shared = true;           ///< ranks share the state; false: nothing travels
  int first_unit = 0;           ///< index in Graph::units of the first unit
};

/// What a rank does with the units of a model, or of a piece of it, pass by pass. fsdp_graph() and pipeline_graph()
/// state the rules.
class ShardedUnits {
public:
  /// Adds the compute of a stage of the units with `copies_s` seconds of copies, after the operations `before`. Returns
  /// the last operation.
  using AddCompute = std::function<std::size_t(std::size_t stage, ComputePart part, double copies_s,
                                               const std::vector<std::size_t>& before)>;

  /// `group` ranks share one copy of the state. `host` is null without offload. Graph, shape, options and host must
  /// outlive this object.
  ShardedUnits(Graph& graph, const UnitShape& shape, const ShardedOptions& options, const ShardBytes& bytes, int group,
               const UnitCarriers& carriers, AddCompute add_compute, HostStreams* host);

  /// Gathers of the passes from now on wait for this operation.
  void wait_for_arrival(std::size_t operation) { arrival_ = operation; }

  void run_forward();

  /// With `ends` units are freed and their gradients scattered. Without it both stay for the next micro-batch.
  void run_backward(bool ends);

private:
  static constexpr std::size_t root = 0;
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  bool keeps_parameters_on_host() const { return options_.offload == Offload::optimizer_and_parameters; }
  bool is_gathered(std::size_t unit) const;
  bool is_limited(std::size_t unit) const;
  bool has_room() const;
  bool is_first_stage(std::size_t stage) const;
  double dealt(std::size_t unit) const;
  double parameters_of(std::size_t unit) const;

  void gather(std::size_t unit);
  void wait_for_room(std::size_t unit);
  std::size_t add_collective(OperationKind kind, std::size_t stream, std::size_t unit, double size_bytes, int group);
  std::size_t add_experts(OperationKind kind, std::size_t unit, double bytes);
  void compute(ComputePart part, std::size_t stage);
  void free(std::size_t unit);
  void finish(std::size_t unit);
  std::size_t reduce_gradients(std::size_t unit);

  Graph& graph_;
  const UnitShape& shape_;
  const ShardedOptions& options_;
  ShardBytes bytes_;
  int group_;
  UnitCarriers carriers_;
  AddCompute add_compute_;
  HostStreams* host_;
  std::size_t arrival_ = none;
  std::size_t last_ = none;            ///< last operation of compute
  bool scattered_ = false;             ///< gradients of an earlier micro-batch were scattered
  bool frees_ = true;                  ///< units are freed after the pass that runs
  std::vector<std::size_t> gather_of_; ///< operation that gathered each unit; none: the unit's parameters are not here
  std::vector<double> copies_s_;       ///< seconds of copies for which each unit's next compute has to wait
  std::vector<std::size_t> freed_;     ///< operations after which units of limited gathers were freed, in order
  std::size_t gathers_ = 0;            ///< number of gathers that the limit applies to
};

} // namespace ddlsim
