#pragma once
// Random numbers that are the same on every machine: the standard fixes the generator's bits, not its distributions.

#include <cstdint>
#include <random>

namespace ddltrain {

class Random {
public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  /// In [0, 1), 53 bits.
  double share() { return static_cast<double>(bits_() >> 11) * 0x1.0p-53; }
  double between(double low, double high) { return low + (high - low) * share(); }
  /// In 0 .. count - 1; count above 0 and far below 2^64, so that the remainder's bias does not matter.
  std::uint64_t below(std::uint64_t count) { return bits_() % count; }

private:
  std::mt19937_64 bits_;
};

} // namespace ddltrain
