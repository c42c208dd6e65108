#pragma once
// What a TorchScript module runs, operator by operator: LibTorch's own record of its dispatcher, since C++ has no
// hooks.

#include "trainer/layers/layer_definition.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace torch::jit {
struct Module;
}

namespace ddltrain {

/// One operator that does work, whole batch.
struct TracedOperator {
  std::string name;   ///< "aten::conv2d"
  std::string module; ///< path of the module that called it: "layer1.0.conv1"; "" for the outermost
  LayerKind kind = LayerKind::elementwise;
  std::int64_t flop = 0;
  std::int64_t output_elements = 0;
  std::vector<std::string> weights; ///< trained parameters among its inputs, by path
};

struct OperatorTrace {
  std::vector<TracedOperator> operators; ///< in the order they ran
  std::map<std::string, int> uncounted;  ///< operators that no rule is known for, and how often they ran
};

/// Runs forward once, without gradients, on these inputs. Throws what LibTorch throws.
OperatorTrace trace_operators(torch::jit::Module& module, const Tensors& inputs);

} // namespace ddltrain
