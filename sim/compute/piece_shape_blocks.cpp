// The blocks that names of layers tell.

#include "sim/compute/block_part.hpp"
#include "sim/compute/piece_shape.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace ddlsim {

std::string_view block_part_of(const std::string& layer) {
  auto end = layer.find('.');
  while (end != std::string::npos) {
    const auto next = layer.find('.', end + 1);
    const auto last = next == std::string::npos ? layer.size() : next;
    const bool is_number = last > end + 1 && layer.find_first_not_of("0123456789", end + 1) >= last;
    if (!is_number) break;
    end = next;
  }
  return std::string_view(layer).substr(0, end);
}

std::string block_name_of(const std::string& layer) {
  return std::string(block_part_of(layer));
}

int blocks_of(const Model& model) {
  int blocks = 0;
  std::string_view before;
  for (const auto& layer : model.layers) {
    const auto name = block_part_of(layer.name);
    if (blocks == 0 || name != before) ++blocks;
    before = name;
  }
  return blocks;
}

bool is_of_expert(const Layer& layer) {
  if (layer.experts > 0) return true;
  constexpr std::string_view word = ".expert";
  const auto& name = layer.name;
  const auto place = name.find(word);
  const auto digit = place == std::string::npos ? name.size() : place + word.size();
  return digit < name.size() && std::isdigit(static_cast<unsigned char>(name[digit])) != 0;
}

bool has_weights(const Layer& layer) {
  return std::any_of(layer.tensors.begin(), layer.tensors.end(),
                     [](const auto& tensor) { return tensor.shape.size() > 1; });
}

} // namespace ddlsim
