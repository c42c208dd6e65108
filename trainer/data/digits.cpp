#include "trainer/data/digits.hpp"

#include "trainer/data/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ddltrain {
namespace {

constexpr std::size_t kSide = 28;

struct Point {
  double x = 0;
  double y = 0;
};
using Stroke = std::vector<Point>;

/// One stroke a digit, in a box one wide and one high, y downwards.
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

/// Where the digit's box comes to lie in the image, and the pen.
struct Hand {
  double width = 0; ///< pixels
  double height = 0;
  double angle = 0; ///< radians
  Point centre;
  double pen = 0; ///< half the stroke's width, pixels
};

Hand random_hand(Random& random) {
  Hand hand;
  hand.height = random.between(13, 21);
  hand.width = hand.height * random.between(0.5, 0.85);
  hand.angle = random.between(-0.3, 0.3);
  const double middle = kSide / 2.0;
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

/// Ink of one line, with a soft edge of one pixel; only pixels the pen can reach are looked at.
void draw_line(float* image, const Point& from, const Point& to, double pen) {
  const auto first = [pen](double a, double b) {
    return static_cast<std::size_t>(std::clamp(std::floor(std::min(a, b) - pen - 1), 0.0, kSide - 1.0));
  };
  const auto last = [pen](double a, double b) {
    return static_cast<std::size_t>(std::clamp(std::ceil(std::max(a, b) + pen + 1), 0.0, kSide - 1.0));
  };
  for (std::size_t y = first(from.y, to.y); y <= last(from.y, to.y); ++y) {
    for (std::size_t x = first(from.x, to.x); x <= last(from.x, to.x); ++x) {
      const double away = distance({static_cast<double>(x), static_cast<double>(y)}, from, to);
      const auto ink = static_cast<float>(std::clamp(pen + 0.5 - away, 0.0, 1.0));
      image[y * kSide + x] = std::max(image[y * kSide + x], ink);
    }
  }
}

/// Noise of +-0.4 at most, triangular: the sum of two uniform ones.
void add_noise(float* image, Random& random) {
  for (std::size_t i = 0; i < kSide * kSide; ++i) {
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
  images.rows = kSide;
  images.columns = kSide;
  images.pixels.assign(count * kSide * kSide, 0.0F);
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    images.labels.push_back(draw(images.pixels.data() + i * kSide * kSide, random));
  }
  return images;
}

} // namespace ddltrain
