#pragma once
// What an operator of LibTorch does, in the names and counts of layer tables, which are those of trainer/layers.

#include "trainer/layers/layer_definition.hpp"

#include <ATen/core/ivalue.h>

#include <optional>
#include <string_view>

namespace ddltrain {

/// How the work of an operator follows from its inputs and outputs.
enum class WorkForm {
  per_output,    ///< `each` operations for each element of the output
  per_input,     ///< `each` operations for each element of the first input
  per_window,    ///< `each` operations for each element of a pool's window, and each output has one
  convolution,   ///< a filter for each element of the output
  transposed,    ///< a filter for each element of the input
  product,       ///< a row of a matrix for each element of the output
  normalisation, ///< as per_output; scale and shift count where they are given
};

struct OperatorRule {
  LayerKind kind = LayerKind::elementwise;
  WorkForm form = WorkForm::per_output;
  /// Operations for each element. For a product: which input has the row. For a normalisation: which input is the
  /// scale.
  std::int64_t each = 0;
};

/// One call of an operator in forward.
struct OperatorCall {
  const std::vector<c10::IValue>& inputs;
  const at::Tensor& output;
  bool has_weight = false; ///< whether one of the inputs is a parameter or a buffer of the module, or a view of one
};

struct OperatorWork {
  LayerKind kind = LayerKind::elementwise;
  std::int64_t flop = 0;
};

/// Returns the rule of an operator such as "aten::conv2d"; nothing for an operator without a rule.
std::optional<OperatorRule> rule_of(std::string_view name);

/// Whether the operator only makes, moves or reads values. It is then no layer, and nothing is left uncounted.
bool does_no_work(std::string_view name);

/// Returns the work of the whole batch. Products of two tensors that are no weights belong to attention.
OperatorWork work_of(const OperatorRule& rule, const OperatorCall& call);

} // namespace ddltrain
