#include "trainer/synchronisation/fusion_synchroniser.hpp"
#include "trainer/synchronisation/group_readiness.hpp"
#include "trainer/synchronisation/momentum_sgd.hpp"
#include "trainer/synchronisation/work_thread.hpp"

#include <catch2/catch.hpp>

using namespace ddltrain;

namespace {

constexpr std::size_t kMiB = (1 << 20) / sizeof(float); ///< elements

GradientLayout layout_of(const std::vector<std::size_t>& counts) {
  std::vector<std::size_t> ready(counts.size());
  for (std::size_t i = 0; i < ready.size(); ++i) ready[i] = i;
  return lay_out(counts, ready);
}

std::vector<std::size_t> sizes(const std::vector<Group>& groups) {
  std::vector<std::size_t> counts;
  for (const Group& group : groups) counts.push_back(group.count);
  return counts;
}

} // namespace

TEST_CASE("The flat arrays are in the order ready") {
  const GradientLayout layout = lay_out({10, 20, 30}, {2, 0, 1});
  CHECK(layout[0].tensor == 2);
  CHECK(layout[1].first == 30);
  CHECK(layout[2].first == 40);
  CHECK(element_count(layout) == 60);
}

TEST_CASE("The first bucket closes at 1 MiB, later ones at 25 MiB") {
  const GradientLayout layout = layout_of({kMiB / 2, kMiB / 2, 20 * kMiB, 4 * kMiB, kMiB, 30 * kMiB, 3});
  CHECK(sizes(group_tensors(layout, Grouping::buckets)) == std::vector<std::size_t>{2, 3, 1, 1});
  CHECK(sizes(group_tensors(layout_of({1}), Grouping::buckets)) == std::vector<std::size_t>{1});
}

TEST_CASE("Per tensor and single are what they say") {
  const GradientLayout layout = layout_of({5, 6, 7});
  CHECK(sizes(group_tensors(layout, Grouping::per_tensor)) == std::vector<std::size_t>{1, 1, 1});
  CHECK(sizes(group_tensors(layout, Grouping::single)) == std::vector<std::size_t>{3});
  CHECK_THROWS_AS(group_tensors(layout, Grouping::fusion), std::logic_error);
  const ElementRange elements = elements_of({1, 2}, layout);
  CHECK(elements.first == 5);
  CHECK(elements.count == 13);
}

TEST_CASE("A group that is ready early waits for those before it") {
  GroupReadiness readiness({{0, 2}, {2, 1}, {3, 1}}, 4);
  const auto ready = [&](std::size_t position) {
    const auto range = readiness.ready(position);
    return std::pair(range.first, range.last);
  };
  using Range = std::pair<std::size_t, std::size_t>;
  CHECK(ready(2) == Range{0, 0});
  CHECK(ready(0) == Range{0, 0});
  CHECK(ready(1) == Range{0, 2});
  CHECK(ready(3) == Range{2, 3});
  readiness.start_step();
  CHECK(ready(0) == Range{0, 0});
}

TEST_CASE("The coordinator answers with what all ranks have") {
  FusionCoordinator coordinator(3, 4);
  using Positions = std::vector<std::int64_t>;
  CHECK(coordinator.hear({{0, 1}, {0}, {}}).empty());
  CHECK(coordinator.hear({{2}, {1}, {1, 0}}) == Positions{0, 1});
  CHECK(coordinator.hear({{3}, {3, 2}, {2, 3}}) == Positions{2, 3});
}

TEST_CASE("Momentum is PyTorch's") {
  MomentumSgd sgd(1, {0.5, 0.5, 0.5});
  float parameter = 1;
  const float gradient = 2; // counts 1
  sgd.update(&parameter, &gradient, 0, 1);
  CHECK(parameter == 0.5F); // v = 1
  sgd.update(&parameter, &gradient, 0, 1);
  CHECK(parameter == -0.25F); // v = 1.5
}

TEST_CASE("A work thread does jobs in order and tells of the first failure") {
  std::vector<int> done;
  WorkThread thread;
  for (int i = 0; i < 3; ++i) thread.add([&done, i] { done.push_back(i); });
  thread.drain();
  CHECK(done == std::vector<int>{0, 1, 2});
  thread.add([] { throw std::runtime_error("first"); });
  CHECK_THROWS_WITH(thread.drain(), "first");
  thread.add([&done] { done.push_back(3); });
  thread.drain();
  CHECK(done.back() == 3);
}
