#pragma once
// Operations of a graph under the names that other tools use.

#include "sim/formats/model.hpp"
#include "sim/iteration/step.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// Returns "all-reduce", "reduce", "broadcast", "reduce-scatter", "all-gather", "push-pull", "input" or "compute".
std::string text_of(OperationKind kind);

/// The names of the tensors that an operation computes or carries.
class TensorNames {
public:
  /// The model and the graph must outlive this object.
  TensorNames(const Model& model, const Graph& graph);

  std::vector<std::string> of_operation(const Operation& operation) const;

  /// Returns the names of `tensors` tensors from number `first` on, in the order in which their gradients become ready.
  std::vector<std::string> of_group(int first, int tensors) const;

  const std::string& layer_of(int tensor) const { return layers_.at(at(tensor)); }

  /// Returns the bytes of a tensor's gradient on the wire.
  double wire_bytes(int tensor, double bytes_per_parameter) const;

private:
  std::vector<std::string> names_;  ///< names in order of creation
  std::vector<std::string> layers_; ///< layers in order of creation
  std::vector<double> fp32_bytes_;  ///< sizes in fp32, in order of creation
  std::vector<int> ready_;          ///< tensors in the order in which their gradients become ready
};

/// Returns the name of an operation with its tensor, such as "forward", "backward fc.weight", "all-reduce" or "reduce
/// fc.weight".
std::string text_of(const Operation& operation, const TensorNames& names);

/// Returns the name with the layer whose gradient is computed, as in "backward fc", or with the unit, as in "forward
/// block3".
std::string layer_text_of(const Graph& graph, const Operation& operation, const TensorNames& names);

/// Returns the name of a collective, such as "all-reduce" or "all-gather block3".
std::string text_of_collective(const Graph& graph, const Operation& operation);

/// Returns the operations of a connection in the order in which it sends them, which is also the order in which they
/// end.
std::vector<std::size_t> by_end(const StepRun& run, std::size_t stream);

} // namespace ddlsim
