#include "sim/library/connections.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

Cluster of_instances(IntraKind intra) {
  Cluster cluster;
  cluster.gpus_per_node = 8;
  cluster.intra = {intra, 20e9, 1e-6};
  cluster.nics = {{"ethernet", 3.125e9, 1}, {"efa", 12.5e9, 4}};
  cluster.nics.front().path = "ec2";
  cluster.transports = {{"nccl-tcp", "ethernet"}, {"grpc", "ethernet"}, {"nccl-ib", "efa"}, {"shm", ""}};
  return cluster;
}

Gpu of_capability(int capability) {
  Gpu gpu;
  gpu.compute_capability = capability;
  return gpu;
}

int of_nccl(const char* version, IntraKind intra, int capability, int nics = 1) {
  return connections_between_nodes(*library_version_from(version), of_instances(intra), {"ethernet", 3.125e9, nics},
                                   of_capability(capability), 8);
}

} // namespace

TEST_CASE("NCCL has a connection a ring, and as many rings as its version lays through the NICs", "[connections]") {
  CHECK(of_nccl("nccl 2.2", IntraKind::nvlink_mesh, 70) == 1);
  CHECK(of_nccl("nccl 2.2", IntraKind::nvlink_mesh, 70, 2) == 2);
  CHECK(of_nccl("nccl 2.2", IntraKind::pcie_tree, 37) == 2); // Kepler
  CHECK(of_nccl("nccl 2.4", IntraKind::nvlink_mesh, 70) == 2);
  CHECK(of_nccl("nccl 2.4", IntraKind::pcie_tree, 70) == 1);
  CHECK(of_nccl("nccl 2.4.8", IntraKind::pcie_tree, 70) == 16);
  CHECK(of_nccl("nccl 2.21.5", IntraKind::nvswitch, 90, 4) == 128);
}

TEST_CASE("rings over MPI, Gloo and gRPC have one connection, halving-doubling one a rank", "[connections]") {
  for (const auto* name : {"open-mpi 4.0", "gloo", "grpc"}) CHECK(of_nccl(name, IntraKind::pcie_tree, 70) == 1);
  CHECK(of_nccl("mpich 3.3", IntraKind::pcie_tree, 70) == 8);
}

TEST_CASE("only what the processor copies has a connection that may be limited", "[connections]") {
  const auto cluster = of_instances(IntraKind::nvlink_mesh);
  CHECK(connection_limit_Bps(cluster, cluster.transports[0]) == 0.625e9);
  CHECK(connection_limit_Bps(cluster, cluster.transports[1]) == 0.625e9);
  CHECK(std::isinf(connection_limit_Bps(cluster, cluster.transports[2])));
  CHECK(std::isinf(connection_limit_Bps(cluster, cluster.transports[3])));
  auto other = cluster;
  other.nics.front().path = "ec2-placement-group";
  CHECK(connection_limit_Bps(other, other.transports[0]) == 1.25e9);
  other.nics.front().path.clear();
  CHECK(std::isinf(connection_limit_Bps(other, other.transports[0])));
}

} // namespace ddlsim
