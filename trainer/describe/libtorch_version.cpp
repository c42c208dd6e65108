#include "trainer/describe/libtorch_version.hpp"

#include <torch/version.h>

namespace ddltrain {

std::string libtorch_version() {
  const std::string version = TORCH_VERSION;
  return version.substr(0, version.find('+'));
}

} // namespace ddltrain
