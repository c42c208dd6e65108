#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/communication/ring.hpp"

#include <catch2/catch.hpp>

#include <numeric>

using namespace ddltrain;

namespace {

/// Element i of rank r is i + 1000 r, so the sum over n ranks is n i + 1000 n (n - 1) / 2: exact in fp32 here.
std::vector<float> numbers(int rank, std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), static_cast<float>(1000 * rank));
  return values;
}

std::vector<float> sums(int ranks, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(ranks) * static_cast<float>(i) + static_cast<float>(500 * ranks * (ranks - 1));
  }
  return values;
}

} // namespace

TEST_CASE("Both all-reduces sum over the ranks") {
  MpiCommunicator world(MPI_COMM_WORLD);
  std::vector<float> scratch;
  // Fewer elements than ranks, one each, and sizes that do not divide; the largest is a rendezvous message.
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{1001}, std::size_t{100'003}}) {
    std::vector<float> values = numbers(world.rank(), count);
    ring_all_reduce(world, values.data(), count, scratch);
    CHECK(values == sums(world.size(), count));
    values = numbers(world.rank(), count);
    world.all_reduce(values.data(), count);
    CHECK(values == sums(world.size(), count));
  }
}

TEST_CASE("The ring's halves leave each rank its share, and gather shares") {
  MpiCommunicator world(MPI_COMM_WORLD);
  const auto n = static_cast<std::size_t>(world.size());
  const auto rank = static_cast<std::size_t>(world.rank());
  for (const std::size_t share : {std::size_t{1}, std::size_t{1001}, std::size_t{50'000}}) {
    const std::vector<float> all = sums(world.size(), share * n);
    const auto mine = all.begin() + static_cast<std::ptrdiff_t>(rank * share);
    const std::vector<float> expected(mine, mine + static_cast<std::ptrdiff_t>(share));
    std::vector<float> values = numbers(world.rank(), share * n);
    std::vector<float> scratch;
    ring_reduce_scatter(world, values.data(), values.size(), scratch);
    CHECK(std::equal(expected.begin(), expected.end(), values.begin() + static_cast<std::ptrdiff_t>(rank * share)));
    std::vector<float> own(share);
    values = numbers(world.rank(), share * n);
    world.reduce_scatter(values.data(), own.data(), share);
    CHECK(own == expected);
    for (const bool by_ring : {true, false}) {
      std::vector<float> gathered(share * n);
      std::copy(expected.begin(), expected.end(), gathered.begin() + static_cast<std::ptrdiff_t>(rank * share));
      by_ring ? ring_all_gather(world, gathered.data(), gathered.size()) : world.all_gather(gathered.data(), share);
      CHECK(gathered == all);
    }
  }
}

TEST_CASE("A number left for a rank is there with its sender, once") {
  MpiCommunicator world(MPI_COMM_WORLD);
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() + world.size() - 1) % world.size();
  world.leave_number(100 + world.rank(), next, 7);
  std::optional<std::pair<int, std::int64_t>> got;
  while (!got) got = world.receive_number(7);
  CHECK(got->first == previous);
  CHECK(got->second == 100 + previous);
  CHECK_FALSE(world.receive_number(7).has_value());
}

TEST_CASE("Every way to wait finds what has come") {
  MpiCommunicator world(MPI_COMM_WORLD);
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() + world.size() - 1) % world.size();
  for (const WaitPolicy policy : {WaitPolicy::in_mpi, WaitPolicy::share_cores}) {
    world.set_wait_policy(policy);
    const auto part = world.duplicate();
    CHECK(part->wait_policy() == policy);
    std::vector<float> received(200'000); // larger than what MPI sends unasked
    const std::vector<float> sent = numbers(world.rank(), received.size());
    std::vector<Transfer> transfers = {part->start_receive(received.data(), received.size(), previous, 5),
                                       part->start_send(sent.data(), sent.size(), next, 5)};
    std::size_t done = 0;
    while (done < 2) done += part->wait_some(transfers).size();
    CHECK(part->wait_some(transfers).empty());
    CHECK(received == numbers(previous, received.size()));
    transfers = {part->start_receive(received.data(), 1, previous, 6), part->start_send(sent.data(), 1, next, 6)};
    part->wait(transfers);
    CHECK(transfers[0].handle == 0);
  }
}

TEST_CASE("A broadcast reaches all ranks") {
  MpiCommunicator world(MPI_COMM_WORLD);
  const int root = world.size() - 1;
  std::vector<float> values = numbers(world.rank(), 17);
  world.broadcast(values.data(), values.size(), root);
  CHECK(values == numbers(root, 17));
  std::vector<std::int64_t> counts;
  if (world.rank() == root) counts = {3, 1, 4};
  world.broadcast(counts, root);
  CHECK(counts == std::vector<std::int64_t>{3, 1, 4});
}

TEST_CASE("Texts of unlike lengths are gathered by rank") {
  MpiCommunicator world(MPI_COMM_WORLD);
  const auto text = [](int rank) {
    return std::string(static_cast<std::size_t>(3 * rank), 'x') + std::to_string(rank);
  };
  const std::vector<std::string> texts = world.gather(text(world.rank()));
  REQUIRE(texts.size() == static_cast<std::size_t>(world.size()));
  for (int rank = 0; rank < world.size(); ++rank) CHECK(texts[static_cast<std::size_t>(rank)] == text(rank));
}

TEST_CASE("Ranks of one colour are a group of their own") {
  MpiCommunicator world(MPI_COMM_WORLD);
  const bool last = world.rank() == world.size() - 1;
  const auto part = world.split(last ? 1 : 0);
  CHECK(part->size() == (last ? 1 : world.size() - 1));
  float one = 1;
  part->all_reduce(&one, 1);
  CHECK(one == static_cast<float>(part->size()));
}

TEST_CASE("Finished transfers are reported once") {
  MpiCommunicator world(MPI_COMM_WORLD);
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() + world.size() - 1) % world.size();
  float received = -1;
  const auto mine = static_cast<float>(world.rank());
  std::vector<Transfer> transfers = {world.start_receive(&received, 1, previous, 5),
                                     world.start_send(&mine, 1, next, 5)};
  std::size_t finished = 0;
  while (finished < transfers.size()) finished += world.finished(transfers).size();
  CHECK(world.finished(transfers).empty());
  CHECK(received == static_cast<float>(previous));
}
