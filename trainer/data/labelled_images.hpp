#pragma once
#include <cstddef>
#include <cstdint>
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

} // namespace ddltrain
