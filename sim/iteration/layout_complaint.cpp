#include "sim/iteration/layout_complaint.hpp"

#include "sim/compute/piece_shape.hpp"
#include "sim/compute/unit_shape.hpp"
#include "sim/iteration/hybrid_shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ddlsim {
namespace {

/// Whether any cut of the model has the wanted numbers of blocks.
bool is_cut_possible(const Model& model, const ModelParallelOptions& options) {
  const auto wanted = blocks_of_pieces(options);
  if (wanted.empty()) return true;
  std::vector<BlockToCut> blocks;
  std::string before;
  for (const auto& layer : model.layers) {
    const auto name = block_name_of(layer.name);
    if (blocks.empty() || name != before) blocks.push_back({1, unit_name_of(layer.name) == "root" ? 0 : 1});
    before = name;
  }
  return !balanced_ends(blocks, wanted.size(), wanted).empty();
}

/// Whether a tensor group can cut one side of the matrix evenly.
bool is_cut_evenly(const ParameterTensor& tensor, int degree) {
  if (tensor.shape.size() != 2) return true;
  return tensor.shape[0] % degree == 0 || tensor.shape[1] % degree == 0;
}

} // namespace

BlocksOfPieces blocks_of_pieces(const ModelParallelOptions& options) {
  if (options.first_stage_blocks == 0 && options.last_stage_blocks == 0) return {};
  BlocksOfPieces wanted(static_cast<std::size_t>(options.pipeline * options.virtual_stages), 0);
  for (std::size_t piece = 0; piece < wanted.size(); ++piece) {
    const auto stage = static_cast<int>(piece) % options.pipeline;
    if (stage == 0) wanted[piece] = options.first_stage_blocks / options.virtual_stages;
    if (stage == options.pipeline - 1) wanted[piece] = options.last_stage_blocks / options.virtual_stages;
  }
  return wanted;
}

std::string stage_complaint(const Model& model, const ModelParallelOptions& options) {
  const int pieces = options.pipeline * options.virtual_stages;
  if (const int blocks = blocks_of(model); pieces > blocks)
    return fmt::format("{} has {} blocks that can be cut apart, and the pipeline needs {}; give fewer stages",
                       model.name, blocks, pieces);
  if (is_cut_possible(model, options)) return "";
  return fmt::format(
      "the {} numbered blocks of {} cannot be dealt out over {} pieces with {} blocks in the first stage "
      "and {} in the last (0: any number); give \"first_stage_blocks\" and \"last_stage_blocks\" that "
      "leave some for the other stages",
      numbered_blocks_of(model), model.name, pieces, options.first_stage_blocks, options.last_stage_blocks);
}

std::string matrix_complaint(const Model& model, const ModelParallelOptions& options) {
  if (options.tensor == 1 || !has_attention(model)) return "";
  for (const auto& layer : model.layers)
    for (const auto& tensor : layer.tensors)
      if (unit_name_of(layer.name) != "root" && !is_cut_evenly(tensor, options.tensor))
        return fmt::format(
            "{} of {} has {} x {} numbers, of which a tensor group of {} cuts neither side evenly; give a "
            "\"tensor\" that divides one",
            layer.name, model.name, tensor.shape[0], tensor.shape[1], options.tensor);
  return "";
}

std::string head_complaint(const Model& model, const ModelParallelOptions& options) {
  if (options.context == 1 || options.context_kind != ContextKind::all_to_all) return "";
  constexpr double numbers_of_head = 64; // fewest
  constexpr double fp32_bytes = 4;
  const double tokens = model.tokens_per_sample();
  for (const auto& layer : model.layers) {
    if (layer.name.substr(layer.name.rfind('.') + 1) != "key" || tokens <= 0) continue;
    const double width = layer.activation_bytes_per_sample / fp32_bytes / tokens;
    const double of_rank = width / options.context / options.tensor;
    if (of_rank >= numbers_of_head && of_rank == std::floor(of_rank)) continue;
    return fmt::format(
        "{} of {} puts out {:g} numbers a token, which are not whole heads for each of {} x {} ranks of a "
        "context group and a tensor group; give a smaller \"context\", or another \"context_kind\"",
        layer.name, model.name, width, options.context, options.tensor);
  }
  return "";
}

std::string shard_group_complaint(const ModelParallelOptions& options, int sharers, int sharers_of_node) {
  if (options.data_parallel != DataParallel::fsdp) return "";
  return shard_complaint(ranks_of_shard_group(options, sharers, sharers_of_node), sharers, sharers_of_node);
}

} // namespace ddlsim
