#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace ddltrain {
/// Grey images with the class of each. Pixels are 0 (paper) to 1 (ink), image after image, row after row.
struct LabelledImages {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> pixels;
  std::vector<std::int64_t> labels; ///< one an image

  std::size_t count() const { return labels.size(); }
};

/// What a network learns from and what it is judged on.
struct ImageData {
  LabelledImages train;
  LabelledImages test;
};

/// `count` digits of 28x28 pixels drawn with a pen: size, place, slant, stroke width and noise are random. Image i of a
/// seed is the same whatever the count. About as hard as handwriting for a small network: LeNet-5 gets from 10 % to
/// well above 90 % in three passes over 8,000.
LabelledImages draw_digits(std::size_t count, std::uint64_t seed);

/// Reads a pair of IDX files, the format of MNIST and its relatives (unsigned bytes; magic numbers 0x803 and 0x801, big
/// endian), uncompressed. Throws RunError naming the file and what is wrong: missing, another format, too short, too
/// long, image and label counts that differ, labels above 9.
LabelledImages read_idx(const std::filesystem::path& images, const std::filesystem::path& labels);

/// train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte of a folder.
ImageData read_idx_folder(const std::filesystem::path& folder);

} // namespace ddltrain
