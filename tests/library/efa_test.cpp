#include "sim/library/nccl_choice.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

constexpr LibraryVersion before_plugin{CollectiveLibrary::nccl, 2, 12, 12};
constexpr LibraryVersion with_plugin{CollectiveLibrary::nccl, 2, 23, 4};

/// Two nodes of eight GPUs on an NVSwitch with four ports of EFA, or of InfiniBand.
NcclJob eight_gpus_a_node(std::optional<NicPath> path, int compute_capability) {
  Cluster cluster;
  cluster.gpus_per_node = 8;
  cluster.intra = {IntraKind::nvswitch, 230e9, 0.6e-6};
  cluster.nics = {{"nic", 12.5e9, 4, path}};
  Gpu gpu;
  gpu.compute_capability = compute_capability;
  return nccl_job(cluster, {"nccl-ib", "nic"}, gpu, 16, 8);
}

double estimate_of_8_bytes_us(const LibraryVersion& version, const NcclJob& job, Algorithm algorithm,
                              Protocol protocol) {
  return 1e6 * nccl_estimate_s(version, job, {algorithm, protocol}, 8).value();
}

} // namespace

TEST_CASE("over EFA NCCL counts what the plug-in states for every crossing, and once more with Simple", "[nccl][efa]") {
  const auto with = eight_gpus_a_node(NicPath::efa, 90);
  auto without = with;
  without.plugin_latency_us = 0;
  const auto more_us = [&](const LibraryVersion& version, Algorithm algorithm, Protocol protocol) {
    return estimate_of_8_bytes_us(version, with, algorithm, protocol) -
           estimate_of_8_bytes_us(version, without, algorithm, protocol);
  };
  // Two nodes: a ring crosses twice, and so does a tree, up and down.
  for (const auto algorithm : {Algorithm::ring, Algorithm::tree}) {
    CHECK(more_us(with_plugin, algorithm, Protocol::ll) == Approx(2 * 75));
    CHECK(more_us(with_plugin, algorithm, Protocol::simple) == Approx(2 * 2 * 75));
    CHECK(more_us(before_plugin, algorithm, Protocol::ll) == 0); // older than the plug-in that states it
  }
  CHECK(more_us(with_plugin, Algorithm::nvls, Protocol::simple) == Approx(2 * 2 * 75));
}

TEST_CASE("over EFA GPUs before Hopper use Simple only, from the plug-in of 2023 on", "[nccl][efa]") {
  const auto ampere = eight_gpus_a_node(NicPath::efa, 80);
  CHECK(ampere.simple_only);
  for (double size_bytes = 4; size_bytes < 1e11; size_bytes *= 3)
    CHECK(nccl_choice(nccl_candidates(with_plugin, ampere), size_bytes).protocol == Protocol::simple);
  CHECK_FALSE(nccl_estimate_s(with_plugin, ampere, {Algorithm::ring, Protocol::ll}, 8));
  CHECK(nccl_choice(nccl_candidates(before_plugin, ampere), 8).protocol == Protocol::ll);
  CHECK_FALSE(eight_gpus_a_node(NicPath::efa, 90).simple_only);
  CHECK(nccl_choice(nccl_candidates(with_plugin, eight_gpus_a_node(NicPath::efa, 90)), 8).protocol == Protocol::ll);
  const auto infiniband = eight_gpus_a_node({}, 80);
  CHECK_FALSE(infiniband.simple_only);
  CHECK(infiniband.plugin_latency_us == 0);
}

} // namespace ddlsim
