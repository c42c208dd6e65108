#pragma once
// Operations of a graph as others' tools name them.

#include "sim/formats/model.hpp"
#include "sim/iteration/step.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// all-reduce, reduce, broadcast, reduce-scatter, all-gather, push-pull, input, compute.
std::string text_of(OperationKind kind);

/// Which tensors an operation makes or carries, by name.
class TensorNames {
public:
  /// The arguments must outlive this.
  TensorNames(const Model& model, const Graph& graph);

  std::vector<std::string> of_operation(const Operation& operation) const;

  /// So many tensors from `first` on, in the order in which their gradients become ready.
  std::vector<std::string> of_group(int first, int tensors) const;

  const std::string& layer_of(int tensor) const { return layers_.at(at(tensor)); }

  /// Of a tensor's gradient.
  double wire_bytes(int tensor, double bytes_per_parameter) const;

private:
  std::vector<std::string> names_;  ///< by order of creation
  std::vector<std::string> layers_; ///< the same
  std::vector<double> fp32_bytes_;  ///< the same
  std::vector<int> ready_;          ///< tensors in the order in which their gradients become ready
};

/// "forward", "backward fc.weight", "all-reduce", "reduce fc.weight".
std::string text_of(const Operation& operation, const TensorNames& names);

/// The same with the layer of a gradient that is computed, "backward fc", or with the unit: "forward block3".
std::string layer_text_of(const Graph& graph, const Operation& operation, const TensorNames& names);

/// "all-reduce", "all-gather block3".
std::string text_of_collective(const Graph& graph, const Operation& operation);

/// Operations of a connection in the order in which it sends them, which is that in which they end.
std::vector<std::size_t> by_end(const StepRun& run, std::size_t stream);

} // namespace ddlsim
