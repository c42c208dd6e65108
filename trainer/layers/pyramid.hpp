#pragma once
// Layers that see all maps of a feature pyramid with the same weights. The maps are square; their places stand one
// behind another, finest map first: [batch, channels, places, 1].

#include "trainer/layers/units.hpp"

namespace ddltrain {

/// The side of each map of a pyramid, finest first.
using MapSides = std::vector<std::int64_t>;

/// Inputs: the maps, [batch, channels, side, side] each. Output: all their places.
UnitPtr join_places();

/// One 3x3 convolution that each map meets by itself.
UnitPtr shared_convolution(std::int64_t in_channels, std::int64_t out_channels, const MapSides& sides, bool bias);

/// A batch norm for each map: gamma and beta are trained, mean and variance are those of an earlier training.
UnitPtr norm_of_each_map(std::int64_t channels, const MapSides& sides, double epsilon);

} // namespace ddltrain
