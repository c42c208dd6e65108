// Names that files of several formats share, and how a name is read.

#include "sim/base/names.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace ddlsim {

std::string simple_name(const JsonNode& node, const std::string& key) {
  constexpr auto allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";
  std::string name = node.text(key);
  if (name.find_first_not_of(allowed) != std::string::npos || name.rfind('.', 0) == 0)
    node.mistake_at(key, fmt::format("{} is no name; use letters, digits and . _ - + only", in_quotes(name)));
  return name;
}

const std::vector<std::string>& nic_paths() {
  static const std::vector<std::string> paths{"virtual-switch", "ec2", "ec2-placement-group"};
  return paths;
}

const std::vector<std::string>& layer_kinds() {
  static const std::vector<std::string> kinds{"conv1x1",    "conv3x3", "conv",      "depthwise", "linear",      "norm",
                                              "activation", "pool",    "embedding", "attention", "elementwise", "loss"};
  return kinds;
}

} // namespace ddlsim
