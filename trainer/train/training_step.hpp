#pragma once
// One worker's training step: the same code for `train`, which exchanges gradients, and `layers`, which looks inside.

#include "trainer/compute/network_compute.hpp"
#include "trainer/synchronisation/optimizer.hpp"
#include "trainer/synchronisation/synchroniser.hpp"
#include "trainer/train/flat_model.hpp"

#include <functional>
#include <memory>

namespace ddltrain {

/// Where a step has got to, in this order. `zeroed` is of the gradients; on a GPU all but `start` are of work given to
/// it, not of work done.
enum class StepMoment { start, zeroed, forward_done, backward_done, updated };

/// Who is told of a step; empty functions are not called.
struct StepListener {
  std::function<void(StepMoment moment)> reached;
  GradientReady ready; ///< of each parameter, on the computing thread, before the synchroniser is told
};

/// Start of the synchroniser's step, zero the gradients, forward pass, backward pass, exchange and update.
class TrainingStep {
public:
  /// All of them outlive the step.
  TrainingStep(ComputeSource& compute, FlatModel& model, Synchroniser& synchroniser, LossScale& loss_scale);

  /// Returns when the parameters are those of the next step, or on a GPU, when it has been given all work for them.
  void run(const Batch& batch, const StepListener& listener = {});

private:
  ComputeSource& compute_;
  FlatModel& model_;
  Synchroniser& synchroniser_;
  LossScale& loss_scale_;
};

/// The update of a model in host memory, and one by operations on tensors, wherever they are.
Update update_on_host(const FlatModel& model, const SgdOptions& sgd);
/// With a loss scale the step is left out when gradients are no numbers: then their sum is none either.
Update update_on_device(const FlatModel& model, const SgdOptions& sgd, LossScale& loss_scale);

/// The synchroniser of a worker by itself: it exchanges nothing and updates.
std::unique_ptr<Synchroniser> lone_synchroniser(const FlatModel& model, const SgdOptions& sgd, const Device& device,
                                                LossScale& loss_scale);

/// What a worker by itself trains with, `train --strategy none` and `layers`.
class LoneWorker {
public:
  /// network: on `device`, which outlives this. Runs one step's passes to learn the order of gradients.
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

/// ready_order on a batch of the fewest samples that batch normalisation takes. Running statistics stay as they are.
std::vector<std::int64_t> probe_ready_order(const Network& network, ComputeSource& compute, const Device& device);

} // namespace ddltrain
