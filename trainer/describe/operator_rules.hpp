#pragma once
// What an operator of LibTorch does, in the words and counts of layer tables: those of trainer/layers.

#include "trainer/layers/layer_definition.hpp"

#include <ATen/core/ivalue.h>

#include <optional>
#include <string_view>

namespace ddltrain {

/// How an operator's work follows from what it met.
enum class WorkForm {
  per_output,    ///< so many operations an element of the output
  per_input,     ///< an element of the first input
  per_window,    ///< an element of a pool's window, and each output has one
  convolution,   ///< a filter for each output element
  transposed,    ///< a filter for each input element
  product,       ///< a row of a matrix for each output element
  normalisation, ///< per output; scale and shift count where they are there
};

struct OperatorRule {
  LayerKind kind = LayerKind::elementwise;
  WorkForm form = WorkForm::per_output;
  /// Operations an element. Of a product: which input has the row. Of a normalisation: which input is the scale.
  std::int64_t each = 0;
};

/// One call of an operator, forward.
struct OperatorCall {
  const std::vector<c10::IValue>& inputs;
  const at::Tensor& output;
  bool has_weight = false; ///< one of the inputs is a parameter or a buffer of the module, or a view of one
};

struct OperatorWork {
  LayerKind kind = LayerKind::elementwise;
  std::int64_t flop = 0;
};

/// The rule of "aten::conv2d"; nothing for an operator that no rule is known for.
std::optional<OperatorRule> rule_of(std::string_view name);

/// Does the operator only make, move or look at values? It is no layer then, and nothing is left uncounted.
bool does_no_work(std::string_view name);

/// Work of the whole batch. Products of two tensors that are no weights are attention's.
OperatorWork work_of(const OperatorRule& rule, const OperatorCall& call);

} // namespace ddltrain
