#include "sim/formats/layer_blocks.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace ddlsim {
namespace {

/// The next block is searched at no more than this number of later layers with a matching name, so that the search time
/// is proportional to the number of layers. The first layer of a block seldom has a matching name before the next
/// block.
constexpr int most_tries = 100;

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// Returns the digits at the start of a name, or its first letter.
std::string_view first_word(std::string_view name) {
  std::size_t end = 1;
  while (is_digit(name.front()) && end < name.size() && is_digit(name[end])) ++end;
  return name.substr(0, end);
}

std::optional<long> number_in(std::string_view word) {
  long number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool has_zero_before = word.size() > 1 && word.front() == '0';
  const bool is_number = is_digit(word.front()) && read.ec == std::errc() && !has_zero_before;
  return is_number && number <= largest_block_number ? std::optional<long>(number) : std::nullopt;
}

/// Whether `next` is `name` with `number` increased by one at one or more places. The first name that is compared sets
/// `number`.
bool counts_up(std::string_view name, std::string_view next, std::optional<long>& number) {
  bool has_number = false;
  while (!name.empty() && !next.empty()) {
    const auto word = first_word(name);
    const auto other = first_word(next);
    name.remove_prefix(word.size());
    next.remove_prefix(other.size());
    if (word == other) continue;
    const auto here = number_in(word);
    const auto there = number_in(other);
    if (!here || !there || *there != *here + 1 || (number && number != here)) return false;
    number = here;
    has_number = true;
  }
  return has_number && name.empty() && next.empty();
}

/// Applies counts_up() to the names of a layer and its tensors. A name that already contains {i} does not match.
bool counts_up(const Layer& layer, const Layer& next, std::optional<long>& number) {
  const auto counts = [&](const std::string& name, const std::string& other) {
    return counts_up(name, other, number) && name.find(block_number) == std::string::npos;
  };
  if (!counts(layer.name, next.name)) return false;
  for (std::size_t i = 0; i < layer.tensors.size(); ++i)
    if (!counts(layer.tensors[i].name, next.tensors[i].name)) return false;
  return true;
}

bool have_equal_work(const Layer& one, const Layer& other) {
  return one.kind == other.kind && one.forward_flop_per_sample == other.forward_flop_per_sample &&
         one.activation_bytes_per_sample == other.activation_bytes_per_sample && one.experts == other.experts &&
         one.attention == other.attention &&
         std::equal(one.tensors.begin(), one.tensors.end(), other.tensors.begin(), other.tensors.end(),
                    [](const ParameterTensor& a, const ParameterTensor& b) {
                      return a.shape == b.shape && a.size_bytes == b.size_bytes;
                    });
}

/// Returns the number of the block of `length` layers from `begin` on, if the next block equals it.
std::optional<long> number_at(const std::vector<Layer>& layers, std::size_t begin, std::size_t length) {
  std::optional<long> number;
  for (auto i = begin; i < begin + length; ++i)
    if (!have_equal_work(layers[i], layers[i + length]) || !counts_up(layers[i], layers[i + length], number)) return {};
  return number;
}

/// Returns the name with {i} in place of each number that is one higher in the next block's name.
std::string pattern_of(std::string_view name, std::string_view next) {
  std::string pattern;
  while (!name.empty()) {
    const auto word = first_word(name);
    const auto other = first_word(next);
    pattern += word == other ? word : block_number;
    name.remove_prefix(word.size());
    next.remove_prefix(other.size());
  }
  return pattern;
}

Layer pattern_of(Layer layer, const Layer& next) {
  layer.name = pattern_of(layer.name, next.name);
  for (std::size_t i = 0; i < layer.tensors.size(); ++i)
    layer.tensors[i].name = pattern_of(layer.tensors[i].name, next.tensors[i].name);
  return layer;
}

std::string with_number(std::string name, const std::string& number) {
  for (auto at = name.find(block_number); at != std::string::npos; at = name.find(block_number, at + number.size()))
    name.replace(at, block_number.size(), number);
  return name;
}

Layer with_number(const Layer& layer, long number) {
  const auto digits = std::to_string(number);
  auto named = layer;
  named.name = with_number(layer.name, digits);
  for (auto& tensor : named.tensors) tensor.name = with_number(tensor.name, digits);
  return named;
}

/// Whether the layers from `begin` on are those of the block with this number.
bool is_block(const std::vector<Layer>& layers, std::size_t begin, const LayerBlock& block, long number) {
  if (begin + block.layers.size() > layers.size()) return false;
  for (std::size_t i = 0; i < block.layers.size(); ++i)
    if (layers[begin + i] != with_number(block.layers[i], number)) return false;
  return true;
}

/// Returns the equal blocks of `length` layers from `begin` on; a block without layers if the first two differ.
LayerBlock blocks_at(const std::vector<Layer>& layers, std::size_t begin, std::size_t length) {
  const auto number = number_at(layers, begin, length);
  if (!number) return {};
  LayerBlock block{2, *number, {}};
  for (auto i = begin; i < begin + length; ++i) block.layers.push_back(pattern_of(layers[i], layers[i + length]));
  while (is_block(layers, begin + static_cast<std::size_t>(block.repeat) * length, block, block.first + block.repeat))
    ++block.repeat;
  return block;
}

std::size_t layers_saved(const LayerBlock& block) {
  return static_cast<std::size_t>(block.repeat - 1) * block.layers.size();
}

/// Returns, for each layer, the index of the next layer whose name differs only in numbers; the count of layers when
/// there is none.
std::vector<std::size_t> next_alike(const std::vector<Layer>& layers) {
  std::vector<std::size_t> next(layers.size(), layers.size());
  std::unordered_map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    std::string words;
    for (const char letter : layers[i].name)
      if (!is_digit(letter) || words.empty() || words.back() != '0') words += is_digit(letter) ? '0' : letter;
    const auto [before, is_new] = last.try_emplace(words, i);
    if (!is_new) next[std::exchange(before->second, i)] = i;
  }
  return next;
}

/// Returns the repetition of equal blocks from `begin` on that saves the most layers; the single layer when there is
/// none.
LayerBlock best_at(const std::vector<Layer>& layers, std::size_t begin, const std::vector<std::size_t>& next) {
  LayerBlock best{1, 0, {layers[begin]}};
  int tries = 0;
  for (auto i = next[begin]; i < layers.size() && 2 * i <= layers.size() + begin && tries < most_tries; i = next[i]) {
    auto block = blocks_at(layers, begin, i - begin);
    if (layers_saved(block) > layers_saved(best)) best = std::move(block);
    ++tries;
  }
  return best;
}

} // namespace

std::vector<LayerBlock> equal_blocks(const std::vector<Layer>& layers) {
  const auto next = next_alike(layers);
  std::vector<LayerBlock> blocks;
  for (std::size_t begin = 0; begin < layers.size();) {
    blocks.push_back(best_at(layers, begin, next));
    begin += static_cast<std::size_t>(blocks.back().repeat) * blocks.back().layers.size();
  }
  return blocks;
}

std::vector<Layer> layers_of(const std::vector<LayerBlock>& blocks) {
  std::vector<Layer> layers;
  for (const auto& block : blocks)
    for (long i = 0; i < block.repeat; ++i)
      for (const auto& layer : block.layers)
        layers.push_back(block.repeat == 1 ? layer : with_number(layer, block.first + i));
  return layers;
}

double held_bytes(const Layer& layer) {
  auto bytes = sizeof(Layer) + layer.name.size();
  for (const auto& tensor : layer.tensors)
    bytes += sizeof(ParameterTensor) + tensor.name.size() + tensor.shape.size() * sizeof(long);
  return static_cast<double>(bytes);
}

} // namespace ddlsim
