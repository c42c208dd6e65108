#include "trainer/communication/ring.hpp"

namespace ddltrain {
namespace {

constexpr int kTag = 0;

Slice slice(std::size_t index, std::size_t slices, std::size_t count) {
  const std::size_t first = count * index / slices;
  return {first, count * (index + 1) / slices - first};
}

void run_step(const RingStep& step, MpiCommunicator& ranks, float* data, std::vector<float>& scratch) {
  const int next = (ranks.rank() + 1) % ranks.size();
  const int previous = (ranks.rank() + ranks.size() - 1) % ranks.size();
  float* const target = step.add ? scratch.data() : data + step.receive.first;
  std::vector<Transfer> transfers = {ranks.start_receive(target, step.receive.count, previous, kTag),
                                     ranks.start_send(data + step.send.first, step.send.count, next, kTag)};
  ranks.wait(transfers);
  for (std::size_t i = 0; step.add && i < step.receive.count; ++i) {
    data[step.receive.first + i] += scratch[i];
  }
}

} // namespace

std::vector<RingStep> ring_steps(int rank, int ranks, std::size_t count) {
  const auto n = static_cast<std::size_t>(ranks);
  const auto own = static_cast<std::size_t>(rank);
  std::vector<RingStep> steps;
  for (std::size_t k = 0; k + 1 < n; ++k) { // slice s starts at rank s and ends, summed, at rank s - 1
    steps.push_back({slice((own + n - k) % n, n, count), slice((own + 2 * n - k - 1) % n, n, count), true});
  }
  for (std::size_t k = 0; k + 1 < n; ++k) {
    steps.push_back({slice((own + 1 + n - k) % n, n, count), slice((own + n - k) % n, n, count), false});
  }
  return steps;
}

void ring_all_reduce(MpiCommunicator& ranks, float* data, std::size_t count, std::vector<float>& scratch) {
  scratch.resize(count / static_cast<std::size_t>(ranks.size()) + 1);
  for (const RingStep& step : ring_steps(ranks.rank(), ranks.size(), count)) {
    run_step(step, ranks, data, scratch);
  }
}

} // namespace ddltrain
