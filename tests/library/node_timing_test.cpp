#include "sim/library/node_timing.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("generations before Ampere have no timing on NVLink", "[nvlink]") {
  CHECK(node_timing(NcclGpu::volta) == nullptr);
  for (const auto gpu : {NcclGpu::ampere, NcclGpu::hopper, NcclGpu::blackwell}) {
    REQUIRE(node_timing(gpu) != nullptr);
    CHECK(node_timing(gpu)->all_to_all.base_s > 0);
  }
}

TEST_CASE("PCIe has one timing from Ampere on, of the rate that the cluster states", "[pcie]") {
  CHECK(pcie_timing(NcclGpu::volta) == nullptr);
  CHECK(pcie_timing(NcclGpu::ampere) == pcie_timing(NcclGpu::blackwell));
  const auto& timing = *pcie_timing(NcclGpu::ampere);
  constexpr double slot_Bps = 24e9;
  const double bytes_s = (3.0 + 0.5) / 4 * 1e9 / slot_Bps;
  const auto gather = ring_in_node(timing, CollectiveOperation::all_gather, Protocol::simple, 4, 1e9, slot_Bps);
  CHECK(gather.latency_s == Approx(4.5e-6 + 3 * (1.4e-6 + 1.2e-6)));
  CHECK(gather.bytes_s == Approx(bytes_s + 6e-6).epsilon(1e-4));
}

TEST_CASE("a ring has two turns for an all-reduce and one for the other operations", "[nvlink]") {
  CHECK(ring_steps(CollectiveOperation::all_reduce, 8) == 14);
  CHECK(ring_steps(CollectiveOperation::all_gather, 8) == 7);
  CHECK(ring_steps(CollectiveOperation::reduce_scatter, 2) == 1);
}

TEST_CASE("the closed form of a ring on Hopper, by hand", "[nvlink]") {
  const auto& timing = *node_timing(NcclGpu::hopper);
  constexpr double port_Bps = 370.8e9; // 450 GB/s nominal
  const double bytes_s = (2 * 7.0 / 8 / 0.92 + 0.62 / 8) * 1e6 / 450e9;
  const auto ll = ring_in_node(timing, CollectiveOperation::all_reduce, Protocol::ll, 8, 1e6, port_Bps);
  CHECK(ll.latency_s == Approx(5e-6 + 14 * 0.87e-6));
  CHECK(ll.bytes_s == Approx(2.1 * bytes_s));
  const auto simple = ring_in_node(timing, CollectiveOperation::all_reduce, Protocol::simple, 8, 1e6, port_Bps);
  CHECK(simple.latency_s == Approx(5e-6 + 14 * 1.07e-6));
  CHECK(simple.bytes_s == Approx(bytes_s + 2 * 16e-6 * bytes_s / (bytes_s + 2 * 7.7e-6)));
}

TEST_CASE("a larger message is never faster, and NVLS beats a ring on eight GPUs for long ones", "[nvlink]") {
  constexpr double port_Bps = 370.8e9;
  const auto& timing = *node_timing(NcclGpu::hopper);
  double before_s = 0;
  for (double size_bytes = 256; size_bytes < 1e10; size_bytes *= 1.5) {
    const auto nvls = nvls_in_node(timing, 8, size_bytes, port_Bps);
    CHECK(nvls.latency_s + nvls.bytes_s > before_s);
    before_s = nvls.latency_s + nvls.bytes_s;
  }
  const auto ring = ring_in_node(timing, CollectiveOperation::all_reduce, Protocol::simple, 8, 1e9, port_Bps);
  const auto nvls = nvls_in_node(timing, 8, 1e9, port_Bps);
  CHECK(nvls.bytes_s < ring.bytes_s);
}

TEST_CASE("an all-to-all of no bytes takes its base and a little for each partner", "[nvlink]") {
  const auto time = exchange_in_node(node_timing(NcclGpu::blackwell)->all_to_all, 8, 0, 721.8e9);
  CHECK(time.latency_s == Approx(9.3e-6 + 7 * 0.22e-6));
  CHECK(time.bytes_s == 0);
}

} // namespace ddlsim
