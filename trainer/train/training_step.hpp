#pragma once
// One worker's training step: the same code for `train`, which exchanges gradients, and `layers`, which times the
// layers.

#include "trainer/compute/network_compute.hpp"
#include "trainer/synchronisation/optimizer.hpp"
#include "trainer/synchronisation/synchroniser.hpp"
#include "trainer/train/flat_model.hpp"

#include <functional>
#include <memory>

namespace ddltrain {

/// Moments of a step, in their order. At `zeroed` the gradients are zero. On a GPU all but `start` mean that the work
/// has been given to it, not that it is done.
enum class StepMoment { start, zeroed, forward_done, backward_done, updated };

/// Functions that are called during a step; empty ones are not called.
struct StepListener {
  std::function<void(StepMoment moment)> reached;
  GradientReady ready; ///< called for each parameter, on the computing thread, before the synchroniser is told
};

/// A step: the synchroniser's start, zeroing the gradients, forward pass, backward pass, exchange and update.
class TrainingStep {
public:
  /// All arguments must outlive the step.
  TrainingStep(ComputeSource& compute, FlatModel& model, Synchroniser& synchroniser, LossScale& loss_scale);

  /// Returns when the parameters are those of the next step, or on a GPU when it has been given all work for them.
  void run(const Batch& batch, const StepListener& listener = {});

private:
  ComputeSource& compute_;
  FlatModel& model_;
  Synchroniser& synchroniser_;
  LossScale& loss_scale_;
};

/// Returns the update of a model in host memory.
Update update_on_host(const FlatModel& model, const SgdOptions& sgd);
/// Returns an update by operations on tensors of any device. With a loss scale the step is left out when the sum of the
/// gradients is not finite.
Update update_on_device(const FlatModel& model, const SgdOptions& sgd, LossScale& loss_scale);

/// Returns the synchroniser of a single worker: it exchanges nothing and updates.
std::unique_ptr<Synchroniser> lone_synchroniser(const FlatModel& model, const SgdOptions& sgd, const Device& device,
                                                LossScale& loss_scale);

/// The parts with which a single worker trains, for `train --strategy none` and `layers`.
class LoneWorker {
public:
  /// network: on `device`, which must outlive this object. Runs the passes of one step to learn the order of gradients.
  LoneWorker(const std::shared_ptr<Network>& network, const Device& device, ddlsim::Precision precision,
             const SgdOptions& sgd);

  TrainingStep& step() { return step_; }
  NetworkCompute& compute() { return compute_; }
  const FlatModel& model() const { return model_; }

private:
  LossScale loss_scale_;
  NetworkCompute compute_;
  FlatModel model_;
  std::unique_ptr<Synchroniser> synchroniser_;
  TrainingStep step_;
};

/// Returns ready_order on the smallest batch that batch normalisation takes. Running statistics do not change.
std::vector<std::int64_t> probe_ready_order(const Network& network, ComputeSource& compute, const Device& device);

} // namespace ddltrain
