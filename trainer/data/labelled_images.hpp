#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace ddltrain {
/// Grey images with the class of each. Pixels go from 0 (paper) to 1 (ink), image after image, row after row.
struct LabelledImages {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> pixels;
  std::vector<std::int64_t> labels; ///< a label for each image

  std::size_t count() const { return labels.size(); }
};

/// The images from which a network learns, and those by which it is judged.
struct ImageData {
  LabelledImages train;
  LabelledImages test;
};

/// Returns `count` digits of 28x28 pixels drawn with a pen. Size, place, slant, width of the stroke and noise are
/// random. Image i of a seed is the same whatever the count is. For a small network they are about as hard as
/// handwriting: LeNet-5 gets from 10 % to well above 90 % in three passes over 8,000.
LabelledImages draw_digits(std::size_t count, std::uint64_t seed);

/// Reads a pair of IDX files, the format of MNIST and similar data (unsigned bytes; magic numbers 0x803 and 0x801, big
/// endian), uncompressed. Throws RunError that names the file and what is wrong: missing, another format, too short,
/// too long, different counts of images and labels, or labels above 9.
LabelledImages read_idx(const std::filesystem::path& images, const std::filesystem::path& labels);

/// Reads train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte of a
/// folder.
ImageData read_idx_folder(const std::filesystem::path& folder);

} // namespace ddltrain
