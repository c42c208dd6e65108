#pragma once
// Interfaces that make the next step's parameters from one training step's gradients.

#include "trainer/synchronisation/gradient_groups.hpp"

#include <cstddef>
#include <functional>
#include <memory>

namespace ddltrain {

/// Sums elements over the workers in place, and returns when that is done; all workers get the same bits.
using Reduce = std::function<void(float* data, std::size_t count)>;

/// Computes the next step's parameters from the summed gradients.
using Update = std::function<void()>;

/// Sums groups of gradients over the workers, one after another, in the order of their start, which is the same on all
/// workers.
class GroupReducer {
public:
  GroupReducer() = default;
  GroupReducer(const GroupReducer&) = delete;
  GroupReducer& operator=(const GroupReducer&) = delete;
  virtual ~GroupReducer() = default;

  /// Sums `data` in place; the sum may be done later.
  virtual void start(float* data, std::size_t count) = 0;
  /// Waits for all sums; the code that updates parameters may use them afterwards. Throws RunError when communication
  /// failed.
  virtual void finish() = 0;
};

/// Returns a reducer that sums in `start`, on the calling thread.
std::unique_ptr<GroupReducer> reduce_at_once(Reduce reduce);
/// Returns a reducer that sums on a thread of its own, beside the backward pass.
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

  /// Called before the forward pass: makes equal on all workers the tensors besides parameters that must be equal. By
  /// default it does nothing.
  virtual void start_step() {}
  /// Called when the backward pass has finished the gradient at this position of the layout, in any order, once a step.
  /// Returns at once: communication goes on beside the backward pass where the strategy overlaps.
  virtual void gradient_ready(std::size_t position) = 0;
  /// Called after the backward pass. Returns when the parameters are those of the next step. Throws RunError when
  /// communication failed.
  virtual void finish() = 0;
};

/// Returns a synchroniser that reports all gradients to `inner` only after the backward pass, so that not even copies
/// of gradients run beside it.
std::unique_ptr<Synchroniser> after_backward(std::unique_ptr<Synchroniser> inner);

/// Returns `inner`, with a call of `share` at the start of each step.
std::unique_ptr<Synchroniser> sharing_at_start(std::unique_ptr<Synchroniser> inner, std::function<void()> share);

// Synchronisation through the host's memory, for a model in the memory of a GPU.

/// Copies between the memory of a device and the host's, beside the work that the device still has to do.
class DeviceLink {
public:
  DeviceLink() = default;
  DeviceLink(const DeviceLink&) = delete;
  DeviceLink& operator=(const DeviceLink&) = delete;
  virtual ~DeviceLink() = default;

  /// Returns zeroed host memory that the device can copy to and from; it lives as long as this object.
  virtual float* host_memory(std::size_t count) = 0;
  /// Marks the work that the device has been given so far; returns the mark's number, counted from 0 since clear.
  virtual std::size_t mark() = 0;
  /// Forgets the marks.
  virtual void clear() = 0;
  /// Copies elements from the device as soon as it has done the work before the mark; returns when they are in `host`.
  /// May be called from any one thread, also while another thread sets marks.
  virtual void fetch(std::size_t mark, float* host, const float* device, std::size_t count) = 0;
  /// Copies elements to the device; work that the device is given afterwards uses them.
  virtual void store(float* device, const float* host, std::size_t count) = 0;
};

/// Returns `inner` with gradients at `host`; the backward pass writes them at `device`, in the same layout. A thread
/// copies each gradient to the host beside the backward pass and then reports it to inner. `after` runs when inner has
/// finished, and copies to the device what it needs.
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
