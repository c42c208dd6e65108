#include "trainer/data/idx_file.hpp"

#include "trainer/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace ddltrain {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kImageMagic = 0x803; ///< unsigned bytes in three dimensions
constexpr std::uint32_t kLabelMagic = 0x801; ///< unsigned bytes in one
constexpr std::size_t kWord = 4;             ///< bytes of a header figure
constexpr std::uint32_t kLargestSide = 4096; ///< more is a damaged header
constexpr unsigned char kMostClasses = 10;

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
  throw RunError(file.string() + ": " + what);
}

std::string read_all(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || fs::is_directory(file)) {
    refuse(file, fmt::format("cannot be read ({}); an uncompressed IDX file is expected, as MNIST's",
                             fs::is_directory(file) ? "a folder" : std::strerror(errno)));
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::uint32_t word(const std::string& bytes, std::size_t index) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < kWord; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[index * kWord + i]);
  }
  return value;
}

/// The dimensions of a file of this magic, whose size was checked against them.
std::vector<std::size_t> dimensions(const fs::path& file, const std::string& bytes, std::uint32_t magic) {
  const std::size_t count = magic & 0xFF;
  const std::size_t header = kWord * (count + 1);
  if (bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b')
    refuse(file, "is compressed; unpack it with gunzip");
  if (bytes.size() < kWord) refuse(file, fmt::format("{} bytes are too few for a header", bytes.size()));
  if (word(bytes, 0) != magic) {
    refuse(file, fmt::format("starts with {:#x}, expected {:#x}: not an IDX file of {}", word(bytes, 0), magic,
                             magic == kImageMagic ? "images" : "labels"));
  }
  if (bytes.size() < header) refuse(file, fmt::format("{} bytes are too few for a header", bytes.size()));
  std::vector<std::size_t> sizes;
  std::size_t expected = 1;
  for (std::size_t i = 1; i <= count; ++i) {
    sizes.push_back(word(bytes, i));
    if (sizes.back() == 0 || (i > 1 && sizes.back() > kLargestSide)) {
      refuse(file, fmt::format("says {} in dimension {}, which cannot be", sizes.back(), i));
    }
    expected *= sizes.back(); // below 2^32 * 2^24
  }
  if (bytes.size() != header + expected) {
    refuse(file, fmt::format("{} bytes found, its header says {}", bytes.size(), header + expected));
  }
  return sizes;
}

} // namespace

LabelledImages read_idx(const fs::path& images_file, const fs::path& labels_file) {
  const std::string images = read_all(images_file);
  const std::vector<std::size_t> shape = dimensions(images_file, images, kImageMagic);
  const std::string labels = read_all(labels_file);
  const std::vector<std::size_t> count = dimensions(labels_file, labels, kLabelMagic);
  if (shape[0] != count[0]) {
    refuse(labels_file, fmt::format("{} labels for the {} images of {}", count[0], shape[0], images_file.string()));
  }
  LabelledImages read;
  read.rows = shape[1];
  read.columns = shape[2];
  const auto grey = [](char byte) { return static_cast<float>(static_cast<unsigned char>(byte)) / 255.0F; };
  std::transform(images.begin() + static_cast<std::ptrdiff_t>(4 * kWord), images.end(), std::back_inserter(read.pixels),
                 grey);
  for (std::size_t i = 2 * kWord; i < labels.size(); ++i) {
    const auto label = static_cast<unsigned char>(labels[i]);
    if (label >= kMostClasses)
      refuse(labels_file, fmt::format("label {} of image {}, expected 0 to 9", label, i - 2 * kWord));
    read.labels.push_back(label);
  }
  return read;
}

ImageData read_idx_folder(const fs::path& folder) {
  return {read_idx(folder / "train-images-idx3-ubyte", folder / "train-labels-idx1-ubyte"),
          read_idx(folder / "t10k-images-idx3-ubyte", folder / "t10k-labels-idx1-ubyte")};
}

} // namespace ddltrain
