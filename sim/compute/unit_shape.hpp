#pragma once
// A model as sharded data parallelism cuts it: units, whose parameters are gathered, used and freed together.

#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/names.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// The layers whose names begin with the same word up to a dot, where that word ends in a digit: a transformer's block,
/// or a stage of a ResNet ("block12.attention.query" is in block12). All other layers form the root unit, which is the
/// first.
struct ModelUnit {
  std::string name;             ///< "block12" or "root"
  double parameters = 0;        ///< number of parameters that are trained
  double frozen_parameters = 0; ///< number of the others
  double expert_parameters = 0; ///< part of `parameters` that experts have; counted for pieces of a pipeline only

  double all() const { return parameters + frozen_parameters; }
};

/// Consecutive layers of one unit. The root unit has some before the blocks and some after them.
struct UnitStage {
  std::size_t unit = 0; ///< index in UnitShape::units
  double forward = 0;   ///< share of the model's forward
  double backward = 0;  ///< share of the model's backward
  double again = 0;     ///< share of the model's forward that is computed again before this stage's backward
};

struct UnitShape {
  std::vector<ModelUnit> units;  ///< the root comes first, even where it has no layers
  std::vector<UnitStage> stages; ///< stages in the order of the forward pass

  double recomputed() const; ///< share of forward that is computed again, over all stages
};

/// Returns the units and stages of a model. Their shares are by roofline_layer_times(), and recomputation by
/// layers_computed_again().
UnitShape unit_shape(const Model& model, const Gpu& gpu, Precision precision, double batch, Recompute recompute);

/// Returns the unit that a layer of that name belongs to; "root" if it belongs to no block.
std::string unit_name_of(const std::string& layer);

/// Returns, for each layer of a model, whether backward computes it again; layers of the root are not. `selective`
/// computes again attention's layers without parameters. `alternate_matmuls` computes again all layers of a block but
/// its attention (kind "attention") and the first, third, ... layer that multiplies by a matrix. This is torchtitan's
/// rule (torchtitan/models/llama3/parallelize_llama.py at e7c0cae); it does not count products in 8 bits, which are all
/// computed again.
std::vector<bool> layers_computed_again(const Model& model, Recompute recompute, Precision precision);

} // namespace ddlsim
