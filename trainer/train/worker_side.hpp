#pragma once
// What a worker of a training has of its own: where its batches come from, and how it synchronises.

#include "trainer/cuda/device.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/synchronisation/optimizer.hpp"
#include "trainer/synchronisation/server_synchroniser.hpp"
#include "trainer/synchronisation/synchroniser.hpp"
#include "trainer/train/flat_model.hpp"
#include "trainer/train/job.hpp"
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

/// What a worker's side of the strategy is made of; all of it outlives the synchroniser.
struct WorkerSide {
  const Job& job;
  const TrainOptions& options;
  SgdOptions sgd;
  const FlatModel& model;
  MpiCommunicator& meeting; ///< this and the plan are for servers only
  const ServerPlan& plan;
  const Device& device;
  std::shared_ptr<DeviceLink> link; ///< for a model that MPI cannot reach; none where it can, or need not
  LossScale& loss_scale;
  at::Tensor buffers; ///< the network's, flat, that rank 0 gives all workers before each forward pass; empty: none
};

/// The worker's side, with communicators of its own. Collective over the workers.
std::unique_ptr<Synchroniser> make_synchroniser(const WorkerSide& side);

/// The link that a worker needs: for gradients on a GPU that are not exchanged by NCCL. tensors: of the model.
std::shared_ptr<DeviceLink> make_link(const Device& device, const TrainOptions& options, std::size_t tensors);

} // namespace ddltrain
