#include "sim/base/error.hpp"
#include "trainer/communication/ring.hpp"
#include "trainer/synchronisation/fusion_synchroniser.hpp"
#include "trainer/synchronisation/gradient_groups.hpp"
#include "trainer/synchronisation/optimizer.hpp"
#include "trainer/synchronisation/server_synchroniser.hpp"
#include "trainer/synchronisation/work_thread.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>

using namespace ddltrain;

namespace {

constexpr std::size_t mebibyte_elements = (1 << 20) / sizeof(float); ///< elements

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
  const GradientLayout layout = layout_of({mebibyte_elements / 2, mebibyte_elements / 2, 20 * mebibyte_elements,
                                           4 * mebibyte_elements, mebibyte_elements, 30 * mebibyte_elements, 3});
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
  CHECK(coordinator.add({{0, 1}, {0}, {}}).empty());
  CHECK(coordinator.add({{2}, {1}, {1, 0}}) == Positions{0, 1});
  CHECK(coordinator.add({{3}, {3, 2}, {2, 3}}) == Positions{2, 3});
}

TEST_CASE("Momentum is PyTorch's") {
  MomentumSgd sgd(1, {.learning_rate = 0.5, .momentum = 0.5, .gradient_share = 0.5, .schedule = {}});
  float parameter = 1;
  const float gradient = 2; // counts 1
  sgd.update(&parameter, &gradient, 0, 1, 0);
  CHECK(parameter == 0.5F); // v = 1
  sgd.update(&parameter, &gradient, 0, 1, 1);
  CHECK(parameter == -0.25F); // v = 1.5
}

TEST_CASE("Weight decay is PyTorch's: it goes through the momentum, and the gradient's share does not touch it") {
  MomentumSgd sgd(1,
                  {.learning_rate = 0.5, .momentum = 0.5, .weight_decay = 0.25, .gradient_share = 0.5, .schedule = {}});
  float parameter = 4;
  const float gradient = 2; // counts 1
  sgd.update(&parameter, &gradient, 0, 1, 0);
  CHECK(parameter == 3); // v = 1 + 1
  sgd.update(&parameter, &gradient, 0, 1, 1);
  CHECK(parameter == 1.625F); // v = 1 + 1 + 0.75
}

TEST_CASE("A learning rate rises from its share of one worker and falls every so many steps") {
  SgdOptions options{.learning_rate = 8, .schedule = {}};
  CHECK(rate_at(options, 0) == 8);
  CHECK(rate_at(options, 1'000'000) == 8);
  options.schedule = {.warm_up_steps = 4, .warm_up_from = 0.25, .steps_between = 6, .factor = 0.5};
  std::vector<double> rates;
  for (std::size_t step = 0; step < 13; ++step) rates.push_back(rate_at(options, step));
  CHECK(rates == std::vector<double>{2, 3.5, 5, 6.5, 8, 8, 4, 4, 4, 4, 4, 4, 2});
}

TEST_CASE("A work thread does jobs in order and reports the first failure") {
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

using namespace ddltrain;

namespace {

/// tests/golden/placement.json holds what the simulator answers to the same questions; its own test keeps it so.
nlohmann::json expectations() {
  std::ifstream file(DDLSIM_SOURCE_DIR "/tests/golden/placement.json");
  REQUIRE(file);
  return nlohmann::json::parse(file);
}

} // namespace

TEST_CASE("Tensors go to the servers that the simulator expects") {
  const nlohmann::json file = expectations();
  const auto bytes = file["tensor_bytes"].get<std::vector<double>>();
  std::vector<std::size_t> counts;
  for (const double size : bytes) counts.push_back(static_cast<std::size_t>(size) / sizeof(float));
  REQUIRE(file["answers"].size() == 12);
  for (const auto& answer : file["answers"]) {
    const auto shards = place_shards(counts, answer["servers"].get<int>(), answer["rule"].get<std::string>());
    INFO(answer["rule"] << " on " << answer["servers"]);
    const auto& expected = answer["shards"]; // [tensor, server, bytes]
    REQUIRE(shards.size() == expected.size());
    for (std::size_t i = 0; i < shards.size(); ++i) {
      CHECK(shards[i].tensor == expected[i][0].get<std::size_t>());
      CHECK(shards[i].server == expected[i][1].get<int>());
      // The simulator cuts exact parts, the trainer whole elements: less than one apart.
      CHECK(std::abs(static_cast<double>(shards[i].count * sizeof(float)) - expected[i][2].get<double>()) < 4);
    }
  }
}

TEST_CASE("Shards cover every element once") {
  const std::vector<std::size_t> counts = {1, 7, 1'000'000, 2'048'001, 3};
  for (const std::string rule : {"round-robin", "bytes", "split", "hash"}) {
    for (const int servers : {1, 3, 8}) {
      std::map<std::size_t, std::size_t> next;
      for (const Shard& shard : place_shards(counts, servers, rule)) {
        CHECK(shard.first == next[shard.tensor]);
        CHECK(shard.count > 0);
        CHECK((shard.server >= 0 && shard.server < servers));
        next[shard.tensor] += shard.count;
      }
      for (std::size_t i = 0; i < counts.size(); ++i) CHECK(next[i] == counts[i]);
    }
  }
}

TEST_CASE("Unknown rules and no servers are refused") {
  CHECK_THROWS_AS(place_shards({1}, 1, "random"), ddlsim::UserError);
  CHECK_THROWS_AS(place_shards({1}, 0, "bytes"), ddlsim::UserError);
}

using namespace ddltrain;

namespace {

/// Who has added what to each element, as bit sets: runs the drawn steps of all ranks together.
std::vector<std::vector<unsigned>> run_drawn(int ranks, std::size_t count) {
  std::vector<std::vector<unsigned>> held;
  for (int rank = 0; rank < ranks; ++rank) held.emplace_back(count, 1U << rank);
  const std::size_t steps = ring_steps(0, ranks, count).size();
  for (std::size_t k = 0; k < steps; ++k) {
    const auto before = held;
    for (int rank = 0; rank < ranks; ++rank) {
      const int previous = (rank + ranks - 1) % ranks;
      const RingStep mine = ring_steps(rank, ranks, count)[k];
      const Slice sent = ring_steps(previous, ranks, count)[k].send;
      REQUIRE((sent.first == mine.receive.first && sent.count == mine.receive.count));
      for (std::size_t i = sent.first; i < sent.first + sent.count; ++i) {
        const unsigned arrived = before[static_cast<std::size_t>(previous)][i];
        unsigned& here = held[static_cast<std::size_t>(rank)][i];
        if (mine.add) REQUIRE((here & arrived) == 0); // nothing is added twice
        here = mine.add ? here | arrived : arrived;
      }
    }
  }
  return held;
}

} // namespace

TEST_CASE("The drawn ring leaves the sum of all on every rank") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{8}, std::size_t{29}}) {
      const auto held = run_drawn(ranks, count);
      for (const auto& elements : held) {
        for (const unsigned who : elements) REQUIRE(who == (1U << ranks) - 1);
      }
    }
  }
}

TEST_CASE("A rank of the ring sends 2 (n - 1) / n of the buffer") {
  std::size_t sent = 0;
  for (const RingStep& step : ring_steps(2, 4, 4000)) sent += step.send.count;
  CHECK(sent == 6000);
  CHECK(ring_steps(0, 1, 4000).empty());
}
