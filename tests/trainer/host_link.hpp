#pragma once
// Stands for a GPU's link: memory of its own, to which gradients are copied.

#include "trainer/synchronisation/synchroniser.hpp"

#include <algorithm>
#include <cstddef>
#include <list>
#include <vector>

namespace ddltrain_test {

class HostLink final : public ddltrain::DeviceLink {
public:
  float* host_memory(std::size_t count) override { return memory_.emplace_back(count).data(); }
  std::size_t mark() override { return marks_++; }
  void clear() override { marks_ = 0; }
  void fetch(std::size_t /*mark*/, float* host, const float* device, std::size_t count) override {
    std::copy_n(device, count, host);
    ++fetches;
  }
  void store(float* device, const float* host, std::size_t count) override { std::copy_n(host, count, device); }

  int fetches = 0; ///< read when the synchroniser is at rest

private:
  std::list<std::vector<float>> memory_;
  std::size_t marks_ = 0;
};

} // namespace ddltrain_test
