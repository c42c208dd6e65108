#include "sim/compute/piece_shape.hpp"

#include "sim/compute/block_part.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/compute/piece_cut.hpp"
#include "sim/compute/unit_shape.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>

namespace ddlsim {
namespace {

/// Whether the layer's block has a number in its name, as "block3.mlp" and "layer1.0.conv1" have.
bool is_numbered(const Layer& layer) {
  return unit_name_of(layer.name) != "root";
}

/// A block of a model. Its times are seconds, which make_shares_of_pieces() turns into shares.
struct Block {
  std::string name;
  PieceShape shape;
  double time_s() const { return shape.forward + shape.backward + shape.again.forward; }
};

void add_to(RecomputedShape& sum, const RecomputedShape& more) {
  sum.forward += more.forward;
  sum.expert_forward += more.expert_forward;
  sum.inner_bytes += more.inner_bytes;
  sum.cut_layers += more.cut_layers;
  sum.attentive_blocks += more.attentive_blocks;
  sum.expert_blocks += more.expert_blocks;
  sum.gathered_blocks += more.gathered_blocks;
  sum.key_blocks += more.key_blocks;
  sum.attention_forward += more.attention_forward;
}

PieceShape shape_of(const Model& model, std::size_t number, const LayerTime& time) {
  constexpr double fp32_bytes = 4;
  const auto& layer = model.layers[number];
  PieceShape shape{"", time.forward_s, time.backward_s, 0, layer.activation_bytes_per_sample, number, number + 1};
  for (const auto& tensor : layer.tensors) shape.parameters += tensor.size_bytes / fp32_bytes;
  // A matrix product has one product for its inputs' gradients and one for its weights'; a table has weights only.
  if (has_weights(layer)) shape.weight_backward = layer.kind == "embedding" ? time.backward_s : time.backward_s / 2;
  if (layer.kind == "attention") shape.attention_forward = time.forward_s;
  if (layer.kind == "attention") shape.attention_backward = time.backward_s;
  for (const auto& tensor : layer.frozen) shape.frozen_parameters += tensor.size_bytes / fp32_bytes;
  if (!is_of_expert(layer)) return shape;
  shape.expert_parameters = shape.parameters;
  shape.expert_forward = shape.forward;
  shape.expert_backward = shape.backward;
  return shape;
}

/// Returns "block3.expert12" for "block3.expert12.up", and "block3.experts" for "block3.experts.up".
std::string expert_name_of(const std::string& layer) {
  return layer.substr(0, layer.rfind('.'));
}

/// Experts that a token chooses: rows of the output of a layer of experts over tokens; 0: not known.
double chosen_experts(const Layer& layer, double tokens) {
  constexpr double fp32_bytes = 4;
  constexpr std::size_t place_of_outputs = 1; // weights are [experts, outputs, inputs]
  if (layer.experts == 0 || layer.tensors.empty() || tokens <= 0) return 0;
  const auto& shape = layer.tensors.front().shape;
  if (shape.size() <= place_of_outputs) return 0;
  return std::round(layer.activation_bytes_per_sample / fp32_bytes / tokens /
                    static_cast<double>(shape[place_of_outputs]));
}

/// Marks the blocks with experts. The output of each expert's last layer gives the bytes of the tokens routed to it.
void mark_experts(std::vector<Block>& blocks, const Model& model) {
  std::size_t block = 0;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto& layer = model.layers[l];
    if (blocks[block].name != block_part_of(layer.name)) ++block;
    if (!is_of_expert(layer)) continue;
    const bool ends =
        l + 1 == model.layers.size() || expert_name_of(model.layers[l + 1].name) != expert_name_of(layer.name);
    auto& shape = blocks[block].shape;
    if (ends) shape.routed_bytes += layer.activation_bytes_per_sample;
    shape.expert_blocks = 1;
    shape.experts = static_cast<double>(layer.experts);
    if (ends) shape.experts_a_token = chosen_experts(layer, model.tokens_per_sample());
  }
}

/// Whether a model has blocks of a scan, whose blocks of attention are blocks of their own, too.
bool has_scan(const Model& model) {
  return std::any_of(model.layers.begin(), model.layers.end(), [](const Layer& l) { return l.kind == "scan"; });
}

/// Whether a layer mixes tokens, as attention or a scan does.
bool attends(const Layer& layer) {
  return layer.kind == "attention" || layer.kind == "scan";
}

/// A block that has a mixer of tokens and no feed-forward layers behind it, one norm in all, gathers its states once in
/// place of twice.
void halve_lone_mixers(std::vector<Block>& blocks, const Model& model) {
  for (auto& block : blocks) {
    int sums = 0;
    for (std::size_t l = block.shape.first_layer; l < block.shape.end_layer; ++l) {
      const auto& name = model.layers[l].name;
      if (name.substr(name.rfind('.') + 1).starts_with("add")) ++sums;
    }
    const bool is_lone = sums == 1 && has_scan(model);
    if (is_lone) block.shape.inner_bytes /= 2;
  }
}

/// Marks the blocks with attention or a scan. The output of such a block has as many bytes as the input of each of its halves,
/// attention and what follows it.
void mark_attention(std::vector<Block>& blocks, const Model& model) {
  std::size_t block = 0;
  for (const auto& layer : model.layers) {
    if (blocks[block].name != block_part_of(layer.name)) ++block;
    if (!attends(layer)) continue;
    blocks[block].shape.attentive_blocks = 1;
    blocks[block].shape.inner_bytes = blocks[block].shape.sent_bytes;
  }
  halve_lone_mixers(blocks, model);
}

/// Returns whether each output channel of a layer needs its own input channel only. A layer with a larger output than
/// the layer before it joins branches, or has another input.
bool goes_by_channel(const Layer& layer, const Layer& before) {
  const bool by_kind =
      layer.kind == "norm" || layer.kind == "activation" || layer.kind == "elementwise" || layer.kind == "pool";
  return by_kind && layer.activation_bytes_per_sample <= before.activation_bytes_per_sample;
}

/// Marks the layers with weights. All ranks need the output of such a layer for the next one. It is taken after the
/// layers that follow channel by channel, because a pool makes it smaller.
void mark_cut_layers(std::vector<Block>& blocks, const Model& model) {
  std::size_t block = 0;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    if (blocks[block].name != block_part_of(model.layers[l].name)) ++block;
    if (!has_weights(model.layers[l])) continue;
    std::size_t last = l;
    while (last + 1 < model.layers.size() && goes_by_channel(model.layers[last + 1], model.layers[last])) ++last;
    ++blocks[block].shape.cut_layers;
    blocks[block].shape.inner_bytes += model.layers[last].activation_bytes_per_sample;
  }
}

/// Outputs of attention layers of a block: bytes a sample, fp32.
struct AttentionOutputs {
  double keys = 0;
  double values = 0;
  double all_three = 0; ///< the output of a matrix that computes queries, keys and values together
  double attended = 0;  ///< the output of attention, as wide as the queries
  bool attends = false;

  /// Returns the bytes of keys and values; 0 if not known.
  double keys_and_values() const {
    if (all_three > 0) return std::max(0.0, all_three - attended);
    return keys > 0 && values > 0 ? keys + values : 0;
  }
};

/// Returns the outputs of attention for each block that has attention, in forward order.
std::vector<AttentionOutputs> attention_outputs(const Model& model) {
  std::vector<AttentionOutputs> blocks;
  AttentionOutputs block;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto& layer = model.layers[l];
    const auto word = std::string_view(layer.name).substr(layer.name.rfind('.') + 1);
    if (word == "key") block.keys += layer.activation_bytes_per_sample;
    if (word == "value") block.values += layer.activation_bytes_per_sample;
    if (word == "query_key_value") block.all_three += layer.activation_bytes_per_sample;
    if (attends(layer)) { // where there are several, the last one has attention's output
      block.attended = layer.activation_bytes_per_sample;
      block.attends = true;
    }
    const bool ends =
        l + 1 == model.layers.size() || block_part_of(model.layers[l + 1].name) != block_part_of(layer.name);
    if (!ends) continue;
    if (block.attends) blocks.push_back(block);
    block = {};
  }
  return blocks;
}

/// Sets the bytes of keys and values. Call it after mark_attention().
void mark_keys(std::vector<Block>& blocks, const Model& model) {
  const auto outputs = attention_outputs(model);
  std::size_t next = 0;
  for (auto& block : blocks)
    if (block.shape.attentive_blocks > 0 && next < outputs.size()) {
      block.shape.key_bytes = outputs[next].keys_and_values();
      block.shape.query_bytes = outputs[next++].attended;
    }
}

/// Marks the layers that are computed again.
void mark_recomputed_layers(std::vector<Block>& blocks, const Model& model, const std::vector<LayerTime>& times,
                            Recompute recompute, Precision precision) {
  const auto is_again = layers_computed_again(model, recompute, precision);
  std::size_t block = 0;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto& layer = model.layers[l];
    const bool begins = l > 0 && blocks[block].name != block_part_of(layer.name);
    if (begins) ++block;
    if (!is_again[l]) continue;
    auto& again = blocks[block].shape.again;
    again.forward += times[l].forward_s;
    if (is_of_expert(layer)) again.expert_forward += times[l].forward_s;
    if (layer.kind == "attention") again.key_blocks = 1;
    if (layer.kind == "attention") again.attention_forward += times[l].forward_s;
  }
}

/// Marks what is computed again in backward. Call it after all other marks.
void mark_recomputed(std::vector<Block>& blocks, const Model& model, const std::vector<LayerTime>& times,
                     Recompute recompute, Precision precision) {
  mark_recomputed_layers(blocks, model, times, recompute, precision);
  if (recompute == Recompute::none || recompute == Recompute::selective) return;
  for (auto& [name, shape] : blocks) {
    if (shape.again.forward == 0) continue;
    if (recompute == Recompute::alternate_matmuls) { // what was scattered is kept
      shape.again.gathered_blocks = shape.attentive_blocks;
      continue;
    }
    shape.again.attentive_blocks = shape.attentive_blocks;
    shape.again.expert_blocks = shape.expert_blocks;
    shape.again.cut_layers = shape.cut_layers;
    if (shape.cut_layers > 0) shape.again.inner_bytes = shape.inner_bytes;
  }
}

std::vector<Block> blocks_in_order(const Model& model, const std::vector<LayerTime>& times, Recompute recompute,
                                   Precision precision) {
  std::vector<Block> blocks;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto name = block_part_of(model.layers[l].name);
    if (blocks.empty() || blocks.back().name != name) {
      blocks.push_back({std::string(name), {}});
      blocks.back().shape.numbered_blocks = is_numbered(model.layers[l]) ? 1 : 0;
    }
    add_shape(blocks.back().shape, shape_of(model, l, times[l]));
  }
  if (!has_attention(model)) mark_cut_layers(blocks, model);
  mark_attention(blocks, model);
  mark_keys(blocks, model);
  mark_experts(blocks, model);
  mark_recomputed(blocks, model, times, recompute, precision);
  return blocks;
}

std::vector<std::size_t> balanced_ends(const std::vector<Block>& blocks, std::size_t pieces,
                                       const BlocksOfPieces& wanted) {
  std::vector<BlockToCut> costs;
  for (const auto& block : blocks) costs.push_back({block.time_s(), block.shape.numbered_blocks});
  return balanced_ends(costs, pieces, wanted);
}

PieceShape piece_of(const std::vector<Block>& blocks, std::size_t first, std::size_t end) {
  PieceShape piece;
  for (std::size_t b = first; b < end; ++b) add_shape(piece, blocks[b].shape);
  piece.name = blocks[first].name + (end > first + 1 ? " .. " + blocks[end - 1].name : "");
  return piece;
}

/// Converts the pieces' seconds to shares of the model's time.
void make_shares_of_pieces(std::vector<PieceShape>& pieces) {
  double forward_s = 0;
  double backward_s = 0;
  for (const auto& piece : pieces) {
    forward_s += piece.forward;
    backward_s += piece.backward;
  }
  for (auto& piece : pieces) {
    if (forward_s > 0) piece.forward /= forward_s;
    if (backward_s > 0) piece.backward /= backward_s;
    if (forward_s > 0) piece.expert_forward /= forward_s;
    if (forward_s > 0) piece.again.forward /= forward_s;
    if (forward_s > 0) piece.again.expert_forward /= forward_s;
    if (backward_s > 0) piece.expert_backward /= backward_s;
    if (backward_s > 0) piece.weight_backward /= backward_s;
    if (forward_s > 0) piece.attention_forward /= forward_s;
    if (forward_s > 0) piece.again.attention_forward /= forward_s;
    if (backward_s > 0) piece.attention_backward /= backward_s;
  }
}

} // namespace

void add_shape(PieceShape& sum, const PieceShape& more) {
  if (sum.end_layer == 0) sum.first_layer = more.first_layer;
  sum.end_layer = more.end_layer;
  sum.forward += more.forward;
  sum.backward += more.backward;
  sum.parameters += more.parameters;
  sum.sent_bytes = more.sent_bytes;
  sum.inner_bytes += more.inner_bytes;
  sum.key_bytes += more.key_bytes;
  sum.attentive_blocks += more.attentive_blocks;
  sum.cut_layers += more.cut_layers;
  sum.expert_parameters += more.expert_parameters;
  sum.expert_forward += more.expert_forward;
  sum.expert_backward += more.expert_backward;
  sum.routed_bytes += more.routed_bytes;
  sum.expert_blocks += more.expert_blocks;
  sum.experts = std::max(sum.experts, more.experts);
  sum.experts_a_token = std::max(sum.experts_a_token, more.experts_a_token);
  sum.weight_backward += more.weight_backward;
  sum.attention_forward += more.attention_forward;
  sum.attention_backward += more.attention_backward;
  sum.query_bytes += more.query_bytes;
  sum.numbered_blocks += more.numbered_blocks;
  sum.frozen_parameters += more.frozen_parameters;
  add_to(sum.again, more.again);
}

int experts_of(const Model& model) {
  std::map<std::string, std::set<std::string>> of_block;
  std::size_t most = 0;
  for (const auto& layer : model.layers) {
    most = std::max(most, static_cast<std::size_t>(layer.experts));
    if (is_of_expert(layer)) of_block[block_name_of(layer.name)].insert(expert_name_of(layer.name));
  }
  for (const auto& [block, experts] : of_block) most = std::max(most, experts.size());
  return static_cast<int>(most);
}

bool has_attention(const Model& model) {
  return std::any_of(model.layers.begin(), model.layers.end(), attends);
}

bool has_keys_and_values(const Model& model) {
  const auto outputs = attention_outputs(model);
  return std::all_of(outputs.begin(), outputs.end(), [](const auto& block) { return block.keys_and_values() > 0; });
}

std::vector<PieceShape> block_shapes(const Model& model, const Gpu& gpu, Precision precision, double batch,
                                     Recompute recompute) {
  const auto blocks = blocks_in_order(model, roofline_layer_times(model, gpu, precision, batch), recompute, precision);
  std::vector<PieceShape> shapes;
  shapes.reserve(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) shapes.push_back(piece_of(blocks, b, b + 1));
  make_shares_of_pieces(shapes);
  return shapes;
}

int numbered_blocks_of(const Model& model) {
  std::set<std::string> blocks;
  for (const auto& layer : model.layers)
    if (is_numbered(layer)) blocks.insert(block_name_of(layer.name));
  return static_cast<int>(blocks.size());
}

std::vector<PieceShape> piece_shapes(const Model& model, const Gpu& gpu, Precision precision, double batch, int pieces,
                                     Recompute recompute, const BlocksOfPieces& wanted) {
  const auto blocks = blocks_in_order(model, roofline_layer_times(model, gpu, precision, batch), recompute, precision);
  if (pieces < 1 || static_cast<std::size_t>(pieces) > blocks.size())
    throw std::invalid_argument("a model is cut into one piece or more, and into as many as it has blocks at most");
  const auto ends = balanced_ends(blocks, static_cast<std::size_t>(pieces), wanted);
  if (ends.empty()) throw std::invalid_argument("no cut of the model has the numbers of blocks that are wanted");
  std::vector<PieceShape> shapes;
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    shapes.push_back(piece_of(blocks, first, end));
    first = end;
  }
  make_shares_of_pieces(shapes);
  return shapes;
}

} // namespace ddlsim
