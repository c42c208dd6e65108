#pragma once
// The work of layers that the ranks of tensor, context and expert groups do together: compute, and what they send each
// other meanwhile.

#include "sim/compute/piece_shape.hpp"
#include "sim/formats/strategy.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/iteration/pipeline_graph.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

/// The streams of a stage.
struct StageStreams {
  std::size_t compute = 0;
  std::size_t onward = 0; ///< stream of the sends of outputs to the next stage
  std::size_t back = 0;   ///< stream of the sends of gradients to the stage before
  std::size_t of_replicas = 0;
  std::size_t inside = 0; ///< stream of the transfers inside layers
  std::size_t keys = 0;   ///< stream of the transfers of keys and values in a context group
  std::size_t sums = 0;   ///< stream of the all-reduces across groups that share one copy of the state
};

/// One of the parts in which a step is computed.
struct StepPart {
  PipelineStep step;
  int unit = 0; ///< index in Graph::units
  int part = 0;
  int parts = 1;

  /// How many of `count` items belong to this part.
  int share_of(int count) const { return count * (part + 1) / parts - count * part / parts; }
};

/// Adds the work of layers to a graph. pipeline_graph() states the rules. The graph and all that is passed must outlive
/// this object.
class StageWork {
public:
  StageWork(Graph& graph, const WholePasses& passes, const ModelParallelOptions& options, const PipelineBytes& bytes,
            const PipelineGroups& carriers)
      : graph_(graph), passes_(passes), options_(options), bytes_(bytes), carriers_(carriers) {}

  /// Adds the compute of a part of a step and `more_s` seconds, after the operations `before`, and the transfers that
  /// follow it. Returns the last operation.
  std::size_t add(const PieceShape& shape, const StepPart& part, const StageStreams& streams, double more_s,
                  const std::vector<std::size_t>& before);

  /// Adds the exchanges of tokens, to their experts and back, in each block with experts. `before` is what the step
  /// waited for, and `last` its last operation. Returns the last operation.
  std::size_t add_routing(const PieceShape& shape, const StepPart& part, const StageStreams& streams,
                          const std::vector<std::size_t>& before, std::size_t last);

private:
  double scale() const { return 1.0 * options_.pipeline / options_.micro_batches; }
  double compute_s(const PieceShape& shape, const PipelineStep& step) const;
  double beside_s(const PieceShape& shape, const PipelineStep& step) const;
  double attention_s(const PieceShape& shape, const PipelineStep& step) const;

  Operation transfer(OperationKind kind, std::size_t stream, const StepPart& part, int group) const;
  std::size_t add_compute(const StepPart& part, std::size_t stream, double duration_s);
  std::size_t add_inside(const PieceShape& shape, const StepPart& part, const StageStreams& streams,
                         const std::vector<std::size_t>& before, std::size_t last);
  Operation inside_of(const PieceShape& shape, const StepPart& part, std::size_t stream, OperationKind kind,
                      double share) const;
  std::size_t add_outputs(const PieceShape& shape, const StepPart& part, std::size_t stream, std::size_t last);
  std::size_t add_keys(const PieceShape& shape, const StepPart& part, std::size_t stream, std::size_t last);
  Operation placed(Operation exchange, const StepPart& part, std::size_t stream, int group) const;
  Operation routing_of(const PieceShape& shape, const StepPart& part, const StageStreams& streams, double share) const;
  std::size_t add_tokens_of_group(const PieceShape& shape, const StepPart& part, const StageStreams& streams,
                                  std::size_t last);
  std::size_t add_heads(const PieceShape& shape, const StepPart& part, std::size_t stream, std::size_t last);

  Graph& graph_;
  const WholePasses& passes_;
  const ModelParallelOptions& options_;
  const PipelineBytes& bytes_;
  const PipelineGroups& carriers_;
};

} // namespace ddlsim
