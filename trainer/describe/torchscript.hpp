#pragma once
// Makes the layer table of any TorchScript module by running it, for `ddltrain describe --torchscript FILE --input
// SHAPE`.

#include "trainer/describe/layer_table.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddltrain {

enum class InputValues {
  numbers, ///< fp32 between 0 and 1
  indices, ///< int64, all 0, which is valid in any table
  mask     ///< bool, all true
};

/// One argument of forward for one sample. A batch dimension comes before it.
struct ModuleInput {
  std::vector<std::int64_t> shape;
  InputValues values = InputValues::numbers;
  std::string text; ///< the text that was typed
};

/// Reads "3x224x224", "128:int64" (token numbers) or "128:bool". Throws ddlsim::UserError for another text.
ModuleInput module_input(const std::string& text);

struct DescribedModule {
  std::string type; ///< the class, by its name in the file
  LayerTable layers;
  std::vector<std::string> notes; ///< sentences on what was not counted, or counted with an assumption
};

/// Runs the module in FILE in training mode on batches of two and three samples; the difference is one sample. One
/// operator is one layer, and those that use the same parameters are one together. Throws ddlsim::UserError where
/// LibTorch cannot read or run it, and where nothing in it is trained.
DescribedModule describe_torchscript(const std::filesystem::path& file, const std::vector<ModuleInput>& inputs);

} // namespace ddltrain
