#pragma once
#include "trainer/cuda/device.hpp"
#include "trainer/synchronisation/server_synchroniser.hpp"
#include "trainer/synchronisation/synchroniser.hpp"
#include "trainer/train/flat_model.hpp"
#include "trainer/train/job.hpp"
#include "trainer/train/optimizer.hpp"

namespace ddltrain {

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
