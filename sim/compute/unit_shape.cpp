#include "sim/compute/unit_shape.hpp"

#include "sim/compute/layer_times.hpp"

#include <cctype>

namespace ddlsim {
namespace {

const char* const root_unit = "root";

/// Returns the unit of a layer that comes after all stages added so far, and adds the unit where it is new.
std::size_t unit_of(UnitShape& shape, const std::string& name) {
  if (name == root_unit) return 0;
  if (!shape.stages.empty() && shape.units[shape.stages.back().unit].name == name) return shape.stages.back().unit;
  shape.units.push_back({name});
  return shape.units.size() - 1;
}

double parameters_of(const std::vector<ParameterTensor>& tensors) {
  constexpr double fp32_bytes = 4;
  double bytes = 0;
  for (const auto& tensor : tensors) bytes += tensor.size_bytes;
  return bytes / fp32_bytes;
}

bool is_matrix_product(const Layer& layer) {
  return layer.kind == "linear";
}

/// Returns whether a block's layer is computed again. `in_turn` says that a matrix product is one that
/// alternate_matmuls keeps.
bool is_again(const Layer& layer, Recompute recompute, bool in_turn) {
  const bool is_attention = layer.kind == "attention";
  switch (recompute) {
  case Recompute::none:
    return false;
  case Recompute::selective:
    return layer.tensors.empty() && layer.frozen.empty() &&
           (is_attention || layer.name.find(".attention.") != std::string::npos);
  case Recompute::alternate_matmuls:
    return !is_attention && !(is_matrix_product(layer) && in_turn);
  case Recompute::full:
    return true;
  case Recompute::best:
    break;
  }
  return false;
}

/// Converts the stages' times to shares of the model's times.
void make_shares(UnitShape& shape, double forward_s, double backward_s) {
  for (auto& stage : shape.stages) {
    if (forward_s > 0) stage.forward /= forward_s;
    if (forward_s > 0) stage.again /= forward_s;
    if (backward_s > 0) stage.backward /= backward_s;
  }
}

} // namespace

std::string unit_name_of(const std::string& layer) {
  const auto dot = layer.find('.');
  const bool numbered =
      dot != std::string::npos && dot > 0 && std::isdigit(static_cast<unsigned char>(layer[dot - 1])) != 0;
  return numbered ? layer.substr(0, dot) : root_unit;
}

std::vector<bool> layers_computed_again(const Model& model, Recompute recompute, Precision precision) {
  std::vector<bool> again;
  again.reserve(model.layers.size());
  std::string unit;
  int product = 0; // number of matrix products of the unit so far
  for (const auto& layer : model.layers) {
    const auto name = unit_name_of(layer.name);
    if (name != unit) product = 0;
    unit = name;
    if (is_matrix_product(layer)) ++product;
    const bool is_counted = !has_narrow_products(precision);
    again.push_back(name != root_unit && is_again(layer, recompute, is_counted && product % 2 == 1));
  }
  return again;
}

double UnitShape::recomputed() const {
  double share = 0;
  for (const auto& stage : stages) share += stage.again;
  return share;
}

UnitShape unit_shape(const Model& model, const Gpu& gpu, Precision precision, double batch, Recompute recompute) {
  const auto times = roofline_layer_times(model, gpu, precision, batch);
  const auto again = layers_computed_again(model, recompute, precision);
  UnitShape shape;
  shape.units.push_back({root_unit});
  double forward_s = 0;
  double backward_s = 0;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto& layer = model.layers[l];
    const std::size_t unit = unit_of(shape, unit_name_of(layer.name));
    if (shape.stages.empty() || shape.stages.back().unit != unit) shape.stages.push_back({unit});
    auto& stage = shape.stages.back();
    stage.forward += times[l].forward_s;
    stage.backward += times[l].backward_s;
    if (again[l]) stage.again += times[l].forward_s;
    shape.units[unit].parameters += parameters_of(layer.tensors);
    shape.units[unit].frozen_parameters += parameters_of(layer.frozen);
    forward_s += times[l].forward_s;
    backward_s += times[l].backward_s;
  }
  make_shares(shape, forward_s, backward_s);
  return shape;
}

} // namespace ddlsim
