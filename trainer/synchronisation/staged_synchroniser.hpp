#pragma once
// Synchronisation through the host's memory, for a model in a device's.

#include "trainer/synchronisation/gradient_layout.hpp"
#include "trainer/synchronisation/group_reducer.hpp"
#include "trainer/synchronisation/synchroniser.hpp"

namespace ddltrain {

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

} // namespace ddltrain
