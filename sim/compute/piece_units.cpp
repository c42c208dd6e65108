#include "sim/compute/piece_units.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

const char* const root_of_piece = "root";

std::size_t unit_named(std::vector<ModelUnit>& units, const std::string& name) {
  const auto found = std::find_if(units.begin(), units.end(), [&](const auto& unit) { return unit.name == name; });
  if (found == units.end()) units.push_back({name});
  return static_cast<std::size_t>(
      std::find_if(units.begin(), units.end(), [&](const auto& unit) { return unit.name == name; }) - units.begin());
}

/// Adds a block, which may continue the last stage.
void add_block(PieceUnits& piece, const PieceShape& block, std::size_t unit) {
  auto& stages = piece.shape.stages;
  if (stages.empty() || stages.back().unit != unit) {
    stages.push_back({unit});
    piece.stages.emplace_back();
    piece.stages.back().name = piece.shape.units[unit].name;
  }
  add_shape(piece.stages.back(), block);
  stages.back().forward += block.forward;
  stages.back().backward += block.backward;
  stages.back().again += block.again.forward;
  piece.shape.units[unit].parameters += block.parameters;
  piece.shape.units[unit].expert_parameters += block.expert_parameters;
}

} // namespace

std::vector<PieceUnits> units_of_pieces(const Model& model, const Gpu& gpu, Precision precision, double batch,
                                        Recompute recompute, const std::vector<PieceShape>& pieces) {
  const auto blocks = block_shapes(model, gpu, precision, batch, recompute);
  std::vector<PieceUnits> found(pieces.size());
  std::size_t piece = 0;
  for (auto& one : found) one.shape.units.push_back({root_of_piece});
  for (const auto& block : blocks) {
    while (block.first_layer >= pieces[piece].end_layer) ++piece;
    auto& units = found[piece].shape.units;
    add_block(found[piece], block, unit_named(units, unit_name_of(model.layers[block.first_layer].name)));
  }
  return found;
}

} // namespace ddlsim
