#pragma once
// The parts of a training that each worker has of its own: the source of its batches, and its synchroniser.

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
  /// Returns this worker's batch of a step, counted over the whole run.
  virtual Batch batch(std::size_t step) = 0;
  /// Returns the share of test images that the network classifies correctly; nothing without test images.
  virtual std::optional<double> accuracy(Network& network) = 0;
};

/// Returns the source of worker `worker` of `workers`; its batches are on `device`, like the network. Throws UserError
/// when the model cannot take the data or a step needs more samples than there are, RunError when files cannot be read.
std::unique_ptr<SampleSource> sample_source(const TrainOptions& options, const Device& device, Network& network,
                                            int worker, int workers);

/// The parts of a worker's synchroniser; all must outlive it.
struct WorkerSide {
  const Job& job;
  const TrainOptions& options;
  SgdOptions sgd;
  const FlatModel& model;
  MpiCommunicator& meeting; ///< this and the plan are for servers only
  const ServerPlan& plan;
  const Device& device;
  /// link to the host for a model in memory that MPI cannot reach; null where none is needed
  std::shared_ptr<DeviceLink> link;
  LossScale& loss_scale;
  /// the network's buffers, flat, which rank 0 sends to all workers before each forward pass; empty: none
  at::Tensor buffers;
};

/// Returns the worker's synchroniser, with communicators of its own. All workers must call it.
std::unique_ptr<Synchroniser> make_synchroniser(const WorkerSide& side);

/// Returns the link that a worker needs when its gradients are on a GPU and not exchanged by NCCL. tensors: number of
/// tensors of the model.
std::shared_ptr<DeviceLink> make_link(const Device& device, const TrainOptions& options, std::size_t tensors);

} // namespace ddltrain
