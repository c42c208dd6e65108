#pragma once
#include "trainer/data/labelled_images.hpp"

#include <filesystem>

namespace ddltrain {

/// Reads a pair of IDX files, the format of MNIST and its relatives (unsigned bytes; magic numbers 0x803 and 0x801, big
/// endian), uncompressed. Throws RunError naming the file and what is wrong: missing, another format, too short, too
/// long, image and label counts that differ, labels above 9.
LabelledImages read_idx(const std::filesystem::path& images, const std::filesystem::path& labels);

/// train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte of a folder.
ImageData read_idx_folder(const std::filesystem::path& folder);

} // namespace ddltrain
