// An independent program for each schedule: plain MPI, with sums that it checks, against our full simulation. SMPI
// shares SimGrid's links with us, so this tests our schedules, bytes and delays, not the network model.

#include "sim/collective/tree.hpp"
#include "sim/simgrid/executor.hpp"
#include "tests/smpi/smpirun.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>
#include <vector>

using ddlsim::Engine;
using namespace ddlsim_test;

namespace {

double full_ring_s(int ranks, int floats_per_chunk) {
  const double chunk_bytes = floats_per_chunk * float_bytes + envelope_bytes;
  return executor_of(Engine::full)
      .all_reduces(star_of(ranks), {ranks * chunk_bytes}, ddlsim::Algorithm::ring)
      .times_s.front();
}

double full_servers_s(int workers, int servers, const std::vector<int>& floats) {
  ddlsim::ServerMachine server_machine;
  server_machine.servers = servers;
  ddlsim::ServerExchange exchange;
  for (std::size_t tensor = 0; tensor < floats.size(); ++tensor) {
    const double size_bytes = floats[tensor] * float_bytes + envelope_bytes;
    exchange.shards.push_back({static_cast<int>(tensor), static_cast<int>(tensor) % servers, size_bytes});
    exchange.ready_s.push_back(0);
  }
  return executor_of(Engine::full).server_exchange(star_of(workers), server_machine, exchange).end_s;
}

std::string server_program(int servers, const std::vector<int>& floats) {
  std::string text = "parameter_server " + std::to_string(servers);
  for (const int tensor : floats) text += " " + std::to_string(tensor);
  return text;
}

} // namespace

TEST_CASE("a ring all-reduce in plain MPI takes as long as ours", "[smpi]") {
  const int ranks = GENERATE(2, 3, 4, 8, 16, 31, 64);
  const int floats_per_chunk = GENERATE(5, 20000); // all latency; mostly bytes
  INFO(ranks << " ranks, chunks of " << floats_per_chunk << " floats");
  const double mpi_s = simulated_s({ranks, rate_Bps, latency_s, 0}, "ring " + std::to_string(floats_per_chunk));
  CHECK(mpi_s == Approx(full_ring_s(ranks, floats_per_chunk)).epsilon(rounding));
}

TEST_CASE("a double tree in plain MPI takes as long as ours", "[smpi]") {
  const int ranks = GENERATE(2, 3, 4, 8, 16, 31, 64);
  const double size_bytes = GENERATE(1024, 65536, 6 * 65536, 24 * 65536); // of one chunk, of up to 24
  const auto [chunks, chunk_bytes] = ddlsim::tree_chunks(star_of(ranks), size_bytes);
  const auto floats = static_cast<int>((chunk_bytes - envelope_bytes) / float_bytes);
  REQUIRE(floats * float_bytes + envelope_bytes == chunk_bytes);
  INFO(ranks << " ranks, " << chunks << " chunks of " << floats << " floats");
  const SmpiStar star{ranks, rate_Bps, 0, latency_s}; // a latency that does not occupy the link
  const double mpi_s = simulated_s(star, "tree " + std::to_string(chunks) + " " + std::to_string(floats));
  const auto full_s = executor_of(Engine::full).all_reduces(star_of(ranks), {size_bytes}, ddlsim::Algorithm::tree);
  CHECK(mpi_s == Approx(full_s.times_s.front()).epsilon(rounding));
}

TEST_CASE("a parameter server in plain MPI takes as long as ours, one tensor a server", "[smpi]") {
  const int workers = GENERATE(2, 3, 4, 8, 16, 31, 64);
  const int servers = GENERATE(1, 4);
  INFO(workers << " workers, " << servers << " servers");
  const std::vector<int> all_floats = {2500, 12500, 700, 5}; // unequal: servers end at different times
  const std::vector<int> floats(all_floats.begin(), all_floats.begin() + servers);
  const SmpiStar star{workers + servers, rate_Bps, latency_s, 0};
  CHECK(simulated_s(star, server_program(servers, floats)) ==
        Approx(full_servers_s(workers, servers, floats)).epsilon(rounding));
}

TEST_CASE("a parameter server in plain MPI takes as long as ours, tensors queue behind each other", "[smpi]") {
  const int workers = GENERATE(2, 3, 4, 8, 16, 31, 64);
  const int servers = GENERATE(1, 4);
  INFO(workers << " workers, " << servers << " servers");
  const std::vector<int> floats = {2500, 700, 5, 5000, 300, 5, 9000, 1200, 3000, 40};
  const SmpiStar star{workers + servers, rate_Bps, 0, latency_s}; // a latency that does not occupy the link
  CHECK(simulated_s(star, server_program(servers, floats)) ==
        Approx(full_servers_s(workers, servers, floats)).epsilon(rounding));
}

TEST_CASE("an MPI program that fails is an error, not a time", "[smpi]") {
  CHECK_THROWS_AS(simulated_s({2, rate_Bps, latency_s, 0}, "no-such-program"), std::runtime_error);
}
