#pragma once
// How one training step's gradients become the next step's parameters.

#include "trainer/synchronisation/gradient_groups.hpp"

#include <cstddef>
#include <functional>
#include <memory>

namespace ddltrain {

/// Sums elements over the workers in place, and returns when that is done; the same bits on all.
using Reduce = std::function<void(float* data, std::size_t count)>;

/// Makes the next step's parameters of summed gradients.
using Update = std::function<void()>;

/// Sums groups of gradients over the workers, one after another in the order started, the same on all.
class GroupReducer {
public:
  GroupReducer() = default;
  GroupReducer(const GroupReducer&) = delete;
  GroupReducer& operator=(const GroupReducer&) = delete;
  virtual ~GroupReducer() = default;

  /// Sums `data` in place, maybe later.
  virtual void start(float* data, std::size_t count) = 0;
  /// Afterwards, whoever updates parameters finds every sum. Throws RunError when communication failed.
  virtual void finish() = 0;
};

/// Sums in `start`, on the thread that calls it.
std::unique_ptr<GroupReducer> reduce_at_once(Reduce reduce);
/// Sums on a thread of its own, beside backward.
std::unique_ptr<GroupReducer> reduce_beside(Reduce reduce);

/// One a worker. A training loop calls start_step, zeroes the gradients, runs forward and backward, tells of each
/// gradient as it is ready, and calls finish. Gradients are of the loss divided by the number of workers, so their sum
/// is the mean's gradient.
class Synchroniser {
public:
  Synchroniser() = default;
  Synchroniser(const Synchroniser&) = delete;
  Synchroniser& operator=(const Synchroniser&) = delete;
  virtual ~Synchroniser() = default;

  /// Before the forward pass: makes equal on all workers what must be so besides parameters. Usually nothing.
  virtual void start_step() {}
  /// Backward has finished the gradient at this position of the layout; may be told in any order, once a step. Returns
  /// at once: communication goes on beside backward where the strategy overlaps.
  virtual void gradient_ready(std::size_t position) = 0;
  /// After backward. Returns when the parameters are those of the next step. Throws RunError when communication failed.
  virtual void finish() = 0;
};

/// Tells `inner` of all gradients only when backward is done: then not even copies of them go beside it.
std::unique_ptr<Synchroniser> after_backward(std::unique_ptr<Synchroniser> inner);

/// `inner`, with `share` called at the start of each step.
std::unique_ptr<Synchroniser> sharing_at_start(std::unique_ptr<Synchroniser> inner, std::function<void()> share);

// Synchronisation through the host's memory, for a model in a device's.

/// Copies between a device's memory and the host's, beside the work the device has still to do.
class DeviceLink {
public:
  DeviceLink() = default;
  DeviceLink(const DeviceLink&) = delete;
  DeviceLink& operator=(const DeviceLink&) = delete;
  virtual ~DeviceLink() = default;

  /// Zeroed host memory that the device copies to and from; lives as long as this.
  virtual float* host_memory(std::size_t count) = 0;
  /// Notes what the device was given to do so far; returns the note's number, counted from 0 since clear.
  virtual std::size_t mark() = 0;
  /// Forgets the marks.
  virtual void clear() = 0;
  /// Copies elements from the device as soon as it has done what was marked; returns when they are there. From any one
  /// thread, also while another marks.
  virtual void fetch(std::size_t mark, float* host, const float* device, std::size_t count) = 0;
  /// Copies elements to the device, where what it is given from now on finds them.
  virtual void store(float* device, const float* host, std::size_t count) = 0;
};

/// `inner` works on gradients at `host`; backward's are at `device`, by the same layout. A thread fetches each gradient
/// beside backward and then tells inner of it. `after`, once inner has finished, brings back what the device needs.
std::unique_ptr<Synchroniser> staged_synchroniser(const GradientLayout& layout, const float* device, float* host,
                                                  std::shared_ptr<DeviceLink> link, std::unique_ptr<Synchroniser> inner,
                                                  Update after);

/// Every worker holds all parameters and updates them with summed gradients, group after group.
/// gradients: flat, by the layout, where `reducer` works. overlapped: a group is started as soon as it is complete;
/// else all are started in finish. Without `reducer` nothing is synchronised: each worker for itself.
std::unique_ptr<Synchroniser> all_reduce_synchroniser(const GradientLayout& layout, float* gradients, Grouping grouping,
                                                      bool overlapped, std::unique_ptr<GroupReducer> reducer,
                                                      Update update);

} // namespace ddltrain
