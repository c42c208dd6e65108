#include "sim/base/error.hpp"
#include "sim/network/machine.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

namespace {

Cluster two_level() {
  Cluster cluster;
  cluster.name = "test";
  cluster.gpus_per_node = 4;
  cluster.intra = {IntraKind::nvlink_mesh, 40e9, 2e-6};
  cluster.nics = {{"ib", 12.5e9, 2}};
  cluster.fabric = {FabricKind::fat_tree, 24, 1.5, 1e-7};
  cluster.transports = {{"nccl-ib", "ib"}, {"mpi-ib", "ib"}};
  return cluster;
}

Parameters sample() {
  Parameters parameters;
  parameters.nic_efficiency = 0.8;
  parameters.socket_Bps = 1e12;
  parameters.net_latency_s = 5e-6;
  parameters.intra_efficiency = 0.5;
  parameters.intra_latency_factor = 3;
  return parameters;
}

} // namespace

TEST_CASE("rates are line rates times efficiency", "[machine]") {
  const auto machine = build_machine(two_level(), {"nccl-ib", "ib"}, sample(), 10, 4);
  CHECK(machine.nodes() == 3);
  CHECK(machine.node_of(9) == 2);
  CHECK(machine.intra_Bps == Approx(20e9));
  CHECK(machine.intra_latency_s == Approx(6e-6));
  CHECK(machine.nic_Bps == Approx(20e9)); // 2 ports x 12.5 GB/s x 0.8
  CHECK(machine.net_latency_s == Approx(5.1e-6));
  CHECK(machine.uplink_Bps == Approx(24 * 20e9 / 1.5));
}

TEST_CASE("over NCCL an NVLink domain is one node with the NICs of all its nodes", "[machine][fabric]") {
  auto cluster = two_level();
  cluster.intra.domain_nodes = 3;
  const auto machine = build_machine(cluster, {"nccl-ib", "ib"}, sample(), 30, 4);
  CHECK(machine.ranks_per_node == 12);
  CHECK(machine.nodes() == 3);
  CHECK(machine.nic_Bps == Approx(3 * 20e9));
  CHECK(machine.nodes_per_leaf == 8);
  CHECK(machine.uplink_Bps == Approx(24 * 20e9 / 1.5)); // the leaf has the ports it had
  CHECK(build_machine(cluster, {"nccl-ib", "ib"}, sample(), 12, 4).nodes() == 1);
  CHECK(build_machine(cluster, {"mpi-ib", "ib"}, sample(), 30, 4).nodes() == 8); // MPI knows no domains
}

TEST_CASE("sockets carry what they carry, whatever the wire", "[machine]") {
  auto slow = sample();
  slow.socket_Bps = 3e9;
  CHECK(build_machine(two_level(), {"nccl-ib", "ib"}, slow, 8, 4).nic_Bps == 3e9);
}

TEST_CASE("over MPI all ranks of a node share its NIC, inside the node too", "[machine]") {
  const auto machine = build_machine(two_level(), {"mpi-ib", "ib"}, sample(), 8, 4);
  CHECK(machine.nic_Bps == Approx(5e9));
  CHECK(machine.intra_Bps == Approx(5e9));
  auto cluster = two_level();
  cluster.transports.push_back({"gloo-tcp", "ib"});
  CHECK(build_machine(cluster, {"gloo-tcp", "ib"}, sample(), 8, 4) == machine);
  CHECK(negotiation_hops(machine, {"gloo-tcp", "ib"}) == 3); // all 8 ranks take part
}

TEST_CASE("a transport without a NIC serves the GPUs of one node", "[machine]") {
  CHECK(build_machine(two_level(), {"shm", ""}, sample(), 4, 4).nodes() == 1);
  CHECK(network_complaint({"nccl-ib", "ib"}, 8, 4).empty());
  CHECK_THROWS_WITH(build_machine(two_level(), {"shm", ""}, sample(), 8, 4),
                    Catch::Contains("8 GPUs are on several nodes, and shm stays inside one; ask for at most 4"));
}

TEST_CASE("servers follow the strategy's rule", "[machine]") {
  const auto machine = build_machine(two_level(), {"nccl-ib", "ib"}, sample(), 16, 4);
  Strategy strategy;
  strategy.name = StrategyName::ps;
  CHECK(build_servers(strategy, machine, sample(), 0).servers == 4); // unknown: one a node
  strategy.servers = {ServerCount::Rule::count, 3};
  strategy.placement = Placement::dedicated;
  CHECK(build_servers(strategy, machine, sample(), 0).servers == 3);
  CHECK(build_servers(strategy, machine, sample(), 0).dedicated);
  strategy.servers = {ServerCount::Rule::equal_workers, 0};
  CHECK(build_servers(strategy, machine, sample(), 0).servers == 16);
}

TEST_CASE("a server serves no more connections at a time than its node has cores", "[machine]") {
  const auto machine = build_machine(two_level(), {"nccl-ib", "ib"}, sample(), 16, 4);
  Parameters parameters = sample();
  parameters.server_process_Bps = 5e9;
  parameters.server_connection_Bps = 1e8;
  Strategy strategy;
  strategy.name = StrategyName::ps;
  const auto process_Bps = [&](int servers, Placement placement, int cores) {
    strategy.servers = {ServerCount::Rule::count, servers};
    strategy.placement = placement;
    return build_servers(strategy, machine, parameters, cores).process_Bps;
  };
  CHECK(process_Bps(4, Placement::colocated, 0) == 5e9); // cores are not known
  CHECK(process_Bps(4, Placement::colocated, 4) == 4e8);
  CHECK(process_Bps(8, Placement::colocated, 4) == 2e8); // two servers a node
  CHECK(process_Bps(8, Placement::dedicated, 4) == 4e8); // a host each
  CHECK(process_Bps(64, Placement::colocated, 4) ==
        1e8); // a core's time is shared, but a connection's rate is known whole
  CHECK(process_Bps(4, Placement::colocated, 64) == 5e9); // the process itself is the limit
  parameters.server_process_Bps = 0;
  CHECK(process_Bps(4, Placement::colocated, 4) == 4e8);
  parameters.server_connection_Bps = 0;
  CHECK(process_Bps(4, Placement::colocated, 4) == 0);
}

} // namespace ddlsim
