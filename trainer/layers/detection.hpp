#pragma once
// Layers of networks that find objects: regions of an image, feature pyramids, and the losses. The maps of a pyramid
// are square; their places are joined in one dimension, finest map first: [batch, channels, places, 1].

#include "trainer/layers/units.hpp"

namespace ddltrain {

/// One 3x3 convolution with bias over several maps. Inputs: maps [batch, in, h, w] of any sizes. Output: all places of
/// all maps, [batch, out, places, 1].
UnitPtr convolution_of_maps(std::int64_t in_channels, std::int64_t out_channels);

/// RoIAlign (arXiv 1703.06870, section 3) of 2x2 samples a bin. Inputs: boxes [batch, boxes, 4] as centre x, centre y,
/// width and height in parts of the image, then maps [batch, channels, h, w], among which the boxes are dealt evenly.
/// Output: [batch x boxes, channels, bins, bins].
UnitPtr region_align(std::int64_t bins);

/// Inputs: predicted values and target values, [batch, ...]. Output: mean smooth L1 distance of each sample, [batch].
UnitPtr smooth_distance_loss();

/// Inputs: logits, and targets that are 0 or 1, [batch, ...]. Output: mean binary cross entropy of each sample,
/// [batch].
UnitPtr binary_cross_entropy();

/// Focal loss (arXiv 1708.02002, equation 5, with its alpha 0.25 and gamma 2): a cross entropy that counts less where
/// the answer is nearly right. Inputs: logits, and targets that are 0 or 1, [batch, ...]. Output: mean of each sample,
/// [batch].
UnitPtr focal_loss();

/// The side of each map of a pyramid, finest first.
using MapSides = std::vector<std::int64_t>;

/// Inputs: the maps, [batch, channels, side, side] each. Output: the places of all maps in one tensor.
UnitPtr join_places();

/// A 3x3 convolution with one set of weights, which is applied to each map separately.
UnitPtr shared_convolution(std::int64_t in_channels, std::int64_t out_channels, const MapSides& sides, bool bias);

/// A batch norm for each map: gamma and beta are trained; mean and variance come from an earlier training and stay
/// fixed.
UnitPtr norm_of_each_map(std::int64_t channels, const MapSides& sides, double epsilon);

} // namespace ddltrain
