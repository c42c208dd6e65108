#pragma once
#include "trainer/data/labelled_images.hpp"

namespace ddltrain {

/// `count` digits of 28x28 pixels drawn with a pen: size, place, slant, stroke width and noise are random. Image i of a
/// seed is the same whatever the count. About as hard as handwriting for a small network: LeNet-5 gets from 10 % to
/// well above 90 % in three passes over 8,000.
LabelledImages draw_digits(std::size_t count, std::uint64_t seed);

} // namespace ddltrain
