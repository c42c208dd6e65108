#pragma once
// Where a worker's batches come from.

#include "trainer/cuda/device.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/train/train_options.hpp"

#include <memory>
#include <optional>

namespace ddltrain {

class SampleSource {
public:
  SampleSource() = default;
  SampleSource(const SampleSource&) = delete;
  SampleSource& operator=(const SampleSource&) = delete;
  virtual ~SampleSource() = default;

  virtual std::size_t steps_per_epoch() const = 0;
  /// This worker's batch of a step, steps counted over the whole run.
  virtual Batch batch(std::size_t step) = 0;
  /// Share of the test images that the network names rightly; nothing where there are none.
  virtual std::optional<double> accuracy(Network& network) = 0;
};

/// Of worker `worker` of `workers`, whose batches are on `device`, as the network is. Throws UserError when the model
/// cannot take the data or a step needs more samples than there are, RunError when files cannot be read.
std::unique_ptr<SampleSource> sample_source(const TrainOptions& options, const Device& device, Network& network,
                                            int worker, int workers);

} // namespace ddltrain
