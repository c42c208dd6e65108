#pragma once
// Marks in a stream of work: readings of the host's clock, or events on a GPU's stream.

#include "trainer/layers/unit.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ddltrain {
class Marks {
public:
  Marks() = default;
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;
  virtual ~Marks() = default;

  /// Forgets all marks.
  virtual void clear() = 0;
  /// Marks the moment at which the work issued so far is done; returns the mark's number, counted from 0.
  virtual std::size_t mark() = 0;
  /// Returns when all marked work is done. Call it before between_s.
  virtual void settle() = 0;
  /// Returns the seconds from one mark to another.
  virtual double between_s(std::size_t from, std::size_t to) const = 0;
};

/// Returns marks on this thread's work, by the host's monotonic clock.
std::unique_ptr<Marks> host_marks();

// Times one training step, and when in it each layer ran.

class LoneWorker;
class Network;
struct Batch;

/// The properties of a layer besides its times, for the whole batch.
struct TimedLayer {
  std::string name;
  std::string kind;
  double forward_flop = 0;
  double parameter_bytes = 0;
};

/// One layer in one step. A pass that did not run for the layer (no gradient flows through it) has a negative time.
struct LayerStepTimes {
  double forward_s = -1;
  double backward_s = -1;
  double ready_s = -1; ///< time from the start of the backward pass to the layer's last complete gradient
};

struct StepTimes {
  double forward_s = 0;
  double backward_s = 0;
  double update_s = 0; ///< includes zeroing the gradients
  double total_s() const { return forward_s + backward_s + update_s; }
};

/// Runs training steps of a network on one batch, with or without looking at its layers. They are the steps that
/// `train` runs without other ranks (LoneWorker), momentum and flat gradients included.
///
/// Looking is a mark at the end of each layer's forward call, one when the gradient of each layer's output has come,
/// and one after each AccumulateGrad. A layer's time is from the mark before it to its own, so the times of all layers
/// add up to the passes, and what runs between layers (views, sums of losses) counts to the layer that follows.
class LayerTimer {
public:
  /// All arguments must outlive the timer; `worker` trains `network`.
  LayerTimer(Network& network, LoneWorker& worker, const Batch& batch, Marks& marks);
  ~LayerTimer();
  LayerTimer(const LayerTimer&) = delete;
  LayerTimer& operator=(const LayerTimer&) = delete;

  /// Runs a step without marks inside its passes.
  StepTimes plain_step();
  /// Runs a step whose layers are timed; `layers` has the order of layers().
  StepTimes observed_step(std::vector<LayerStepTimes>& layers);

  /// Gives the device one step that is not counted, `plain` steps, and a step whose layers are timed, and only then
  /// waits, so that the counted steps find the device at work. Where the host limited the speed, all plain times are
  /// their mean.
  struct Queue {
    std::vector<StepTimes> plain;
    StepTimes observed;
    bool host_paced = false;
  };
  Queue queued_steps(std::size_t plain, std::vector<LayerStepTimes>& layers);

  /// Layers in forward order, as in the layer table; the first observed step fills it.
  const std::vector<TimedLayer>& layers() const { return layers_; }

private:
  struct Impl;
  std::vector<TimedLayer> layers_;
  std::unique_ptr<Impl> impl_;
};

} // namespace ddltrain
