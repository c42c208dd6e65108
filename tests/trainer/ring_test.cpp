#include "trainer/communication/ring.hpp"

#include <catch2/catch.hpp>

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
