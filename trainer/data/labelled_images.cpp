#include "trainer/data/labelled_images.hpp"

#include "trainer/data/batch_order.hpp"
#include "trainer/run_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

namespace ddltrain {
namespace {

constexpr std::size_t digit_side = 28;

struct Point {
  double x = 0;
  double y = 0;
};
using Stroke = std::vector<Point>;

/// Returns one stroke for each digit, in a box of width and height 1, with y downwards.
const std::array<Stroke, 10>& font() {
  static const std::array<Stroke, 10> strokes = {{
      {{.5, .02}, {.2, .15}, {.1, .5}, {.2, .85}, {.5, .98}, {.8, .85}, {.9, .5}, {.8, .15}, {.5, .02}},
      {{.25, .25}, {.55, .03}, {.55, .97}},
      {{.12, .28}, {.3, .06}, {.68, .06}, {.85, .28}, {.75, .5}, {.12, .96}, {.9, .96}},
      {{.12, .06}, {.82, .06}, {.42, .42}, {.75, .5}, {.86, .72}, {.66, .94}, {.35, .97}, {.1, .85}},
      {{.68, .97}, {.68, .03}, {.08, .66}, {.92, .66}},
      {{.85, .04}, {.22, .04}, {.17, .45}, {.6, .4}, {.86, .62}, {.74, .9}, {.4, .98}, {.12, .88}},
      {{.75, .05}, {.35, .28}, {.13, .65}, {.27, .93}, {.65, .96}, {.86, .74}, {.7, .53}, {.35, .53}, {.16, .7}},
      {{.08, .05}, {.9, .05}, {.4, .97}},
      {{.5, .47},
       {.2, .3},
       {.3, .06},
       {.7, .06},
       {.8, .3},
       {.5, .47},
       {.14, .72},
       {.3, .96},
       {.7, .96},
       {.86, .72},
       {.5, .47}},
      {{.84, .3}, {.65, .47}, {.3, .47}, {.14, .26}, {.35, .04}, {.73, .07}, {.87, .35}, {.65, .72}, {.25, .95}},
  }};
  return strokes;
}

/// Where the digit's box is in the image, and the pen.
struct Hand {
  double width = 0; ///< width in pixels
  double height = 0;
  double angle = 0; ///< angle in radians
  Point centre;
  double pen = 0; ///< half the width of the stroke, in pixels
};

Hand random_hand(Random& random) {
  Hand hand;
  hand.height = random.between(13, 21);
  hand.width = hand.height * random.between(0.5, 0.85);
  hand.angle = random.between(-0.3, 0.3);
  const double middle = digit_side / 2.0;
  hand.centre = {middle + random.between(-3.5, 3.5), middle + random.between(-3.5, 3.5)};
  hand.pen = random.between(0.6, 1.4);
  return hand;
}

Point place(const Point& point, const Hand& hand) {
  const double x = (point.x - 0.5) * hand.width;
  const double y = (point.y - 0.5) * hand.height;
  return {hand.centre.x + std::cos(hand.angle) * x - std::sin(hand.angle) * y,
          hand.centre.y + std::sin(hand.angle) * x + std::cos(hand.angle) * y};
}

double distance(const Point& point, const Point& from, const Point& to) {
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const double along = ((point.x - from.x) * dx + (point.y - from.y) * dy) / (dx * dx + dy * dy);
  const double share = std::clamp(along, 0.0, 1.0);
  return std::hypot(point.x - from.x - share * dx, point.y - from.y - share * dy);
}

/// Draws the ink of one line, with a soft edge of one pixel. Only pixels that the pen can reach are visited.
void draw_line(float* image, const Point& from, const Point& to, double pen) {
  const auto first = [pen](double a, double b) {
    return static_cast<std::size_t>(std::clamp(std::floor(std::min(a, b) - pen - 1), 0.0, digit_side - 1.0));
  };
  const auto last = [pen](double a, double b) {
    return static_cast<std::size_t>(std::clamp(std::ceil(std::max(a, b) + pen + 1), 0.0, digit_side - 1.0));
  };
  for (std::size_t y = first(from.y, to.y); y <= last(from.y, to.y); ++y) {
    for (std::size_t x = first(from.x, to.x); x <= last(from.x, to.x); ++x) {
      const double away = distance({static_cast<double>(x), static_cast<double>(y)}, from, to);
      const auto ink = static_cast<float>(std::clamp(pen + 0.5 - away, 0.0, 1.0));
      image[y * digit_side + x] = std::max(image[y * digit_side + x], ink);
    }
  }
}

/// Adds noise of at most +-0.4 with a triangular distribution: the sum of two uniform ones.
void add_noise(float* image, Random& random) {
  for (std::size_t i = 0; i < digit_side * digit_side; ++i) {
    const double noise = 0.2 * (random.between(-1, 1) + random.between(-1, 1));
    image[i] = std::clamp(image[i] + static_cast<float>(noise), 0.0F, 1.0F);
  }
}

std::int64_t draw(float* image, Random& random) {
  const std::uint64_t digit = random.below(10);
  const Hand hand = random_hand(random);
  const Stroke& stroke = font().at(digit);
  for (std::size_t i = 1; i < stroke.size(); ++i) {
    draw_line(image, place(stroke[i - 1], hand), place(stroke[i], hand), hand.pen);
  }
  add_noise(image, random);
  return static_cast<std::int64_t>(digit);
}

} // namespace

LabelledImages draw_digits(std::size_t count, std::uint64_t seed) {
  LabelledImages images;
  images.rows = digit_side;
  images.columns = digit_side;
  images.pixels.assign(count * digit_side * digit_side, 0.0F);
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    images.labels.push_back(draw(images.pixels.data() + i * digit_side * digit_side, random));
  }
  return images;
}

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t image_magic = 0x803; ///< number that means unsigned bytes in three dimensions
constexpr std::uint32_t label_magic = 0x801; ///< number that means unsigned bytes in one dimension
constexpr std::size_t header_word_bytes = 4; ///< bytes of a number in the header
constexpr std::uint32_t largest_side = 4096; ///< a larger number means a damaged header
constexpr unsigned char most_classes = 10;

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
  for (std::size_t i = 0; i < header_word_bytes; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[index * header_word_bytes + i]);
  }
  return value;
}

/// Returns the dimensions of a file with this magic number. Its size was checked against them.
std::vector<std::size_t> dimensions(const fs::path& file, const std::string& bytes, std::uint32_t magic) {
  const std::size_t count = magic & 0xFF;
  const std::size_t header = header_word_bytes * (count + 1);
  if (bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b')
    refuse(file, "is compressed; unpack it with gunzip");
  if (bytes.size() < header_word_bytes) refuse(file, fmt::format("{} bytes are too few for a header", bytes.size()));
  if (word(bytes, 0) != magic) {
    refuse(file, fmt::format("starts with {:#x}, expected {:#x}: not an IDX file of {}", word(bytes, 0), magic,
                             magic == image_magic ? "images" : "labels"));
  }
  if (bytes.size() < header) refuse(file, fmt::format("{} bytes are too few for a header", bytes.size()));
  std::vector<std::size_t> sizes;
  std::size_t expected = 1;
  for (std::size_t i = 1; i <= count; ++i) {
    sizes.push_back(word(bytes, i));
    if (sizes.back() == 0 || (i > 1 && sizes.back() > largest_side)) {
      refuse(file, fmt::format("says {} in dimension {}, which cannot be", sizes.back(), i));
    }
    expected *= sizes.back(); // stays below 2^32 * 2^24
  }
  if (bytes.size() != header + expected) {
    refuse(file, fmt::format("{} bytes found, its header says {}", bytes.size(), header + expected));
  }
  return sizes;
}

} // namespace

LabelledImages read_idx(const fs::path& images_file, const fs::path& labels_file) {
  const std::string images = read_all(images_file);
  const std::vector<std::size_t> shape = dimensions(images_file, images, image_magic);
  const std::string labels = read_all(labels_file);
  const std::vector<std::size_t> count = dimensions(labels_file, labels, label_magic);
  if (shape[0] != count[0]) {
    refuse(labels_file, fmt::format("{} labels for the {} images of {}", count[0], shape[0], images_file.string()));
  }
  LabelledImages read;
  read.rows = shape[1];
  read.columns = shape[2];
  const auto grey = [](char byte) { return static_cast<float>(static_cast<unsigned char>(byte)) / 255.0F; };
  std::transform(images.begin() + static_cast<std::ptrdiff_t>(4 * header_word_bytes), images.end(),
                 std::back_inserter(read.pixels), grey);
  for (std::size_t i = 2 * header_word_bytes; i < labels.size(); ++i) {
    const auto label = static_cast<unsigned char>(labels[i]);
    if (label >= most_classes)
      refuse(labels_file, fmt::format("label {} of image {}, expected 0 to 9", label, i - 2 * header_word_bytes));
    read.labels.push_back(label);
  }
  return read;
}

ImageData read_idx_folder(const fs::path& folder) {
  return {read_idx(folder / "train-images-idx3-ubyte", folder / "train-labels-idx1-ubyte"),
          read_idx(folder / "t10k-images-idx3-ubyte", folder / "t10k-labels-idx1-ubyte")};
}

} // namespace ddltrain
