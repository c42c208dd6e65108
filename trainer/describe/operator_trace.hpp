#pragma once
// What a TorchScript module runs, operator by operator. It is LibTorch's own record of its dispatcher, because C++ has
// no hooks.

#include "trainer/layers/layer_definition.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace torch::jit {
struct Module;
}

namespace ddltrain {

/// One operator that does work, for the whole batch.
struct TracedOperator {
  std::string name;   ///< name such as "aten::conv2d"
  std::string module; ///< path of the module that called it, such as "layer1.0.conv1"; "" for the outermost one
  LayerKind kind = LayerKind::elementwise;
  std::int64_t flop = 0;
  std::int64_t output_elements = 0;
  std::vector<std::string> weights; ///< paths of the trained parameters among its inputs
};

struct OperatorTrace {
  std::vector<TracedOperator> operators; ///< operators in the order in which they ran
  std::map<std::string, int> uncounted;  ///< operators without a rule, and how often each ran
};

/// Runs forward once on these inputs, without gradients. Throws what LibTorch throws.
OperatorTrace trace_operators(torch::jit::Module& module, const Tensors& inputs);

} // namespace ddltrain
