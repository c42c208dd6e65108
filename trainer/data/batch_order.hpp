#pragma once
// Random numbers that are the same on every machine. The standard defines the bits of the generator, but not its
// distributions.

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace ddltrain {
class Random {
public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  /// Returns a number in [0, 1) with 53 bits.
  double share() { return static_cast<double>(bits_() >> 11) * 0x1.0p-53; }
  double between(double low, double high) { return low + (high - low) * share(); }
  /// Returns a number in 0 .. count - 1. `count` is above 0 and far below 2^64, so that the bias of the remainder does
  /// not matter.
  std::uint64_t below(std::uint64_t count) { return bits_() % count; }

private:
  std::mt19937_64 bits_;
};

/// Which samples each worker gets. Every epoch is a new order of all samples. A step takes the next workers x batch of
/// them, worker after worker, so that the samples of a step depend on the seed and on that product only. Samples that
/// do not fill a last step wait for the next epoch.
class BatchOrder {
public:
  BatchOrder(std::size_t samples, std::size_t batch_per_worker, std::size_t workers, std::uint64_t seed);

  std::size_t steps_per_epoch() const;
  /// Returns the indices of the samples of this worker in step `step` of the whole run.
  std::vector<std::int64_t> batch(std::size_t step, std::size_t worker);

private:
  void shuffle(std::size_t epoch);

  std::size_t batch_;
  std::size_t workers_;
  std::uint64_t seed_;
  std::vector<std::int64_t> order_;
  std::size_t epoch_;
};

} // namespace ddltrain
