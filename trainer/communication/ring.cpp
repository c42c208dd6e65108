#include "trainer/communication/ring.hpp"

namespace ddltrain {
namespace {

constexpr int ring_tag = 0;

Slice slice(std::size_t index, std::size_t slices, std::size_t count) {
  const std::size_t first = count * index / slices;
  return {first, count * (index + 1) / slices - first};
}

void run_step(const RingStep& step, MpiCommunicator& ranks, float* data, std::vector<float>& scratch) {
  const int next = (ranks.rank() + 1) % ranks.size();
  const int previous = (ranks.rank() + ranks.size() - 1) % ranks.size();
  float* const target = step.add ? scratch.data() : data + step.receive.first;
  std::vector<Transfer> transfers = {ranks.start_receive(target, step.receive.count, previous, ring_tag),
                                     ranks.start_send(data + step.send.first, step.send.count, next, ring_tag)};
  ranks.wait(transfers);
  for (std::size_t i = 0; step.add && i < step.receive.count; ++i) {
    data[step.receive.first + i] += scratch[i];
  }
}

} // namespace

namespace {

/// Adds steps in which each rank sends the slice that it summed last, beginning with `first`, and adds to the one
/// before.
void add_reduce_scatter(std::size_t first, std::size_t n, std::size_t count, std::vector<RingStep>& steps) {
  for (std::size_t k = 0; k + 1 < n; ++k) {
    steps.push_back({slice((first + n - k) % n, n, count), slice((first + 2 * n - k - 1) % n, n, count), true});
  }
}

/// Adds steps in which each rank sends the slice that it got last, beginning with `first`.
void add_all_gather(std::size_t first, std::size_t n, std::size_t count, std::vector<RingStep>& steps) {
  for (std::size_t k = 0; k + 1 < n; ++k) {
    steps.push_back({slice((first + n - k) % n, n, count), slice((first + 2 * n - k - 1) % n, n, count), false});
  }
}

void run_steps(const std::vector<RingStep>& steps, MpiCommunicator& ranks, float* data, std::vector<float>& scratch) {
  for (const RingStep& step : steps) run_step(step, ranks, data, scratch);
}

} // namespace

std::vector<RingStep> ring_steps(int rank, int ranks, std::size_t count) {
  const auto n = static_cast<std::size_t>(ranks);
  const auto own = static_cast<std::size_t>(rank);
  std::vector<RingStep> steps; // slice s starts at rank s, and is summed at rank s - 1
  add_reduce_scatter(own, n, count, steps);
  add_all_gather(own + 1, n, count, steps);
  return steps;
}

std::vector<RingStep> ring_reduce_scatter_steps(int rank, int ranks, std::size_t count) {
  const auto n = static_cast<std::size_t>(ranks);
  std::vector<RingStep> steps; // slice s starts at rank s + 1
  add_reduce_scatter(static_cast<std::size_t>(rank) + n - 1, n, count, steps);
  return steps;
}

std::vector<RingStep> ring_all_gather_steps(int rank, int ranks, std::size_t count) {
  std::vector<RingStep> steps;
  add_all_gather(static_cast<std::size_t>(rank), static_cast<std::size_t>(ranks), count, steps);
  return steps;
}

void ring_all_reduce(MpiCommunicator& ranks, float* data, std::size_t count, std::vector<float>& scratch) {
  scratch.resize(count / static_cast<std::size_t>(ranks.size()) + 1);
  run_steps(ring_steps(ranks.rank(), ranks.size(), count), ranks, data, scratch);
}

void ring_reduce_scatter(MpiCommunicator& ranks, float* data, std::size_t count, std::vector<float>& scratch) {
  scratch.resize(count / static_cast<std::size_t>(ranks.size()) + 1);
  run_steps(ring_reduce_scatter_steps(ranks.rank(), ranks.size(), count), ranks, data, scratch);
}

void ring_all_gather(MpiCommunicator& ranks, float* data, std::size_t count) {
  std::vector<float> none;
  run_steps(ring_all_gather_steps(ranks.rank(), ranks.size(), count), ranks, data, none);
}

} // namespace ddltrain
