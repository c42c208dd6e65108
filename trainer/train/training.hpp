#pragma once
#include "trainer/cuda/device.hpp"
#include "trainer/synchronisation/synchroniser.hpp"
#include "trainer/timing/step_clock.hpp"
#include "trainer/train/job.hpp"

namespace ddltrain {

/// Results of an epoch.
struct EpochReport {
  std::size_t epoch = 0; ///< counted from 1
  std::size_t steps = 0; ///< number of steps done so far
  double loss = 0;       ///< mean over the epoch's steps, and over the workers unless they are asynchronous
  std::optional<double> accuracy;
  double samples_per_s = 0; ///< samples per second of all workers, over the epoch's steps
};

/// Results of a training; times are divided by the replay's time scale.
struct TrainResult {
  std::vector<float> parameters; ///< flat, in the order of creation
  std::vector<float> buffers;    ///< running statistics of this rank, in the order of creation; empty on a server
  std::vector<double> step_s;    ///< time of each step: of the slowest worker, or when asynchronous the workers' mean
  double mean_staleness = 0;     ///< mean staleness of asynchronous servers
  QueueCount queue;              ///< how the steps were timed
  double cpu_s = 0;              ///< processor time of this rank from first to last step
};

/// Makes the link between a device and the host for a model of so many tensors; null where none is needed.
using LinkMaker = std::function<std::shared_ptr<DeviceLink>(std::size_t tensors)>;

/// Trains over the job's ranks, of which each calls it with equal options and computes on its `device`. `told` hears of
/// each epoch on rank 0. make_link: in place of the usual one.
/// After a synchronous run every rank's parameters are compared; a difference is a RunError, as is a loss that is not a
/// number, through job.fail. Throws UserError and RunError before the first step.
TrainResult train(const Job& job, const TrainOptions& options, const Device& device,
                  const std::function<void(const EpochReport&)>& on_epoch, const LinkMaker& make_link = {});

} // namespace ddltrain
