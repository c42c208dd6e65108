#include "sim/collective/collective.hpp"
#include "sim/library/collective_cost.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

/// 16 ranks on two nodes of 8 GPUs on an NVSwitch.
NcclJob two_nodes_of_hopper() {
  NcclJob job;
  job.ranks = 16;
  job.nodes = 2;
  job.intra = NcclHop::nvlink;
  job.gpu = NcclGpu::hopper;
  job.has_collnet = job.has_switch = job.has_nvls = true;
  return job;
}

const Machine nvlink_machine{16, 8, 370.8e9, 0.6e-6, 400e9, 5e-6};

} // namespace

TEST_CASE("LL doubles the bytes, LL128 adds a fifteenth, and their hops are shorter than Simple's", "[nccl]") {
  CHECK(wire_bytes(Protocol::ll, 1000) == 2000);
  CHECK(wire_bytes(Protocol::ll128, 1500) == Approx(1600));
  CHECK(wire_bytes(Protocol::simple, 1000) == 1000);
  CHECK(wire_bytes(Protocol::none, 1000) == 1000);
  Machine machine;
  machine.net_latency_s = 5e-6;
  machine.intra_latency_s = 1e-6;
  NcclJob job;
  job.intra = NcclHop::nvlink;
  CHECK(links_of(machine, cost_of(machine, all_reduce_by(Algorithm::ring), Protocol::ll, job, 1000)) == machine);
  const auto simple = cost_of(machine, all_reduce_by(Algorithm::ring), Protocol::simple, job, 1000);
  CHECK(simple.wire_bytes == 1000);
  CHECK(simple.net_latency_s == Approx(5e-6 + 6.9e-6));    // 9.6 - 2.7
  CHECK(simple.intra_latency_s == Approx(1e-6 + 2.93e-6)); // 3.4 - 0.47
  job.intra = NcclHop::pci;
  CHECK(cost_of(machine, all_reduce_by(Algorithm::tree), Protocol::ll128, job, 1000).intra_latency_s ==
        Approx(1e-6 + 1.5e-6));
}

TEST_CASE("a double tree of NCCL reaches a share of its links, by NVIDIA's table", "[nccl]") {
  constexpr double mib = 1048576;
  const auto share = [](Algorithm algorithm, Protocol protocol, double size_bytes) {
    const auto cost = cost_of(nvlink_machine, all_reduce_by(algorithm), protocol, two_nodes_of_hopper(), size_bytes);
    CHECK(cost.net_share == cost.intra_share);
    return cost.net_share;
  };
  CHECK(share(Algorithm::tree, Protocol::simple, 32 * mib) == Approx(0.92 * 0.7));
  CHECK(share(Algorithm::tree, Protocol::simple, 64 * mib) == Approx(0.92 * 0.8));
  CHECK(share(Algorithm::tree, Protocol::simple, std::sqrt(32.0 * 64) * mib) == Approx(0.92 * 0.75));
  CHECK(share(Algorithm::tree, Protocol::simple, 1024 * mib) == Approx(0.92)); // behind the table
  CHECK(share(Algorithm::tree, Protocol::simple, 8) == Approx(0.92 * 0.9));    // before it
  CHECK(share(Algorithm::tree, Protocol::ll, 32768) == Approx(0.92 * 0.7));
  CHECK(share(Algorithm::tree, Protocol::ll128, 4 * mib) == Approx(0.92 * 0.7));
  CHECK(share(Algorithm::tree, Protocol::none, mib) == 1); // of another library
  CHECK(share(Algorithm::ring, Protocol::simple, mib) == 1);
  double before_s = 0;
  for (double size_bytes = 64; size_bytes < 1024 * mib; size_bytes *= 1.1) { // a larger message is never faster
    const double busy_s = size_bytes / share(Algorithm::tree, Protocol::simple, size_bytes);
    CHECK(busy_s > before_s);
    before_s = busy_s;
  }
}

TEST_CASE("NVLS reaches its efficiency of a port, and has the delays of NCCL 2.28", "[nccl][nvls]") {
  auto job = two_nodes_of_hopper();
  const auto hopper = cost_of(nvlink_machine, all_reduce_by(Algorithm::nvls), Protocol::simple, job, 1e6);
  CHECK(links_of(nvlink_machine, hopper).intra_Bps == Approx(0.85 * 370.8e9));
  CHECK(2 * hopper.intra_latency_s == Approx(25e-6));
  CHECK(hopper.net_latency_s == Approx(5e-6 + 11.3e-6)); // 14 - 2.7
  CHECK(hopper.net_share == 1);
  job.gpu = NcclGpu::blackwell;
  CHECK(cost_of(nvlink_machine, all_reduce_by(Algorithm::nvls), Protocol::simple, job, 1e6).intra_share ==
        Approx(0.74));
  const auto sharp =
      cost_of(nvlink_machine, all_reduce_by(Algorithm::nvls_sharp), Protocol::simple, two_nodes_of_hopper(), 1e6);
  CHECK(sharp.intra_share == Approx(0.85));
  CHECK(sharp.net_latency_s == Approx(5e-6 + 15.3e-6)); // 18 - 2.7
}

TEST_CASE("CollNet has the delays of NCCL 2.23", "[nccl][collnet]") {
  auto job = two_nodes_of_hopper();
  const auto direct = cost_of(nvlink_machine, all_reduce_by(Algorithm::collnet), Protocol::simple, job, 1e6);
  CHECK(direct.intra_latency_s == Approx(3.7e-6 + 7 * 0.4e-6)); // 0.6 is what LL's hop takes
  CHECK(direct.net_latency_s == Approx(5e-6 + 28.3e-6));        // 31 - 2.7
  job.has_switch = false;
  CHECK(cost_of(nvlink_machine, all_reduce_by(Algorithm::collnet), Protocol::simple, job, 1e6).intra_latency_s ==
        Approx(7 * 2.8e-6));
}

TEST_CASE("the formula starts from the cost, where a share of the rate is time, a latency is a hop's", "[cost]") {
  const Machine machine{16, 1, 10e9, 1e-6, 1e9, 10e-6};
  CollectiveCost cost{all_reduce_by(Algorithm::ring), Protocol::none, 16e6, 1e-6, 10e-6};
  const double steps = 30;
  CHECK(formula_s(machine, cost) == Approx(steps * (10e-6 + 1e-3)));
  cost.net_share = 0.5;
  cost.net_latency_s = 20e-6;
  CHECK(formula_s(machine, cost) == Approx(steps * (20e-6 + 2e-3)));
}

} // namespace ddlsim
