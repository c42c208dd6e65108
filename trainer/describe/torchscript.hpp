#pragma once
// The layer table of any TorchScript module, by running it: `ddltrain describe --torchscript FILE --input SHAPE`.

#include "trainer/describe/layer_table.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddltrain {

enum class InputValues {
  numbers, ///< fp32, between 0 and 1
  indices, ///< int64, all 0: valid in any table
  mask     ///< bool, all true
};

/// One argument of forward, for one sample; a batch dimension comes before it.
struct ModuleInput {
  std::vector<std::int64_t> shape;
  InputValues values = InputValues::numbers;
  std::string text; ///< as typed
};

/// "3x224x224", "128:int64" (token numbers), "128:bool". Throws ddlsim::UserError.
ModuleInput module_input(const std::string& text);

struct DescribedModule {
  std::string type; ///< the class, as the file calls it
  LayerTable layers;
  std::vector<std::string> notes; ///< what was not counted, or counted with an assumption; one sentence each
};

/// Runs the module in FILE in training mode on batches of two and three samples: what the second adds is a sample's.
/// One operator is one layer; those that use the same parameters are one. Throws ddlsim::UserError where LibTorch
/// cannot read or run it, and where nothing in it is trained.
DescribedModule describe_torchscript(const std::filesystem::path& file, const std::vector<ModuleInput>& inputs);

} // namespace ddltrain
