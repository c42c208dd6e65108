#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ddltrain {

/// Which samples each worker sees. Every epoch is a new order of all samples; a step takes the next
/// workers x batch of them, worker after worker, so the union of a step depends on the seed and on that product only.
/// Samples that do not fill a last step wait for the next epoch.
class BatchOrder {
public:
  BatchOrder(std::size_t samples, std::size_t batch_per_worker, std::size_t workers, std::uint64_t seed);

  std::size_t steps_per_epoch() const;
  /// Sample indices of this worker in step `step` of the whole run.
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
