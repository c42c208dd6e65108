#include "sim/library/connections.hpp"

#include <algorithm>
#include <limits>

namespace ddlsim {
namespace {

constexpr LibraryVersion with_doubled_rings{SumLibrary::nccl, 2, 4, 0};
constexpr LibraryVersion with_many_sockets{SumLibrary::nccl, 2, 4, 8};
constexpr int sockets_of_a_ring = 16; ///< two threads with eight each
constexpr int kepler_below = 40;      ///< compute capability, ten times CUDA's

int nccl_rings_of_a_nic(const LibraryVersion& library, IntraKind intra, const Gpu& gpu) {
  const bool kepler = gpu.compute_capability > 0 && gpu.compute_capability < kepler_below;
  const bool nvlink = intra == IntraKind::nvlink_mesh || intra == IntraKind::nvswitch;
  return kepler || (nvlink && library >= with_doubled_rings) ? 2 : 1;
}

/// Of one flow between EC2 instances (docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-network-bandwidth.html).
constexpr double between_instances_Bps = 5e9 / 8;
constexpr double in_placement_group_Bps = 10e9 / 8;

bool copies_by_the_processor(const std::string& transport) {
  return transport.ends_with("-tcp") || transport == "grpc";
}

} // namespace

int connections_between_nodes(const LibraryVersion& library, const Cluster& cluster, const Nic& nic, const Gpu& gpu,
                              int gpus_per_node) {
  if (library.library == SumLibrary::mpich) return std::max(1, gpus_per_node);
  if (library.library != SumLibrary::nccl) return 1;
  const int rings = nic.count * nccl_rings_of_a_nic(library, cluster.intra.kind, gpu);
  return library >= with_many_sockets ? sockets_of_a_ring * rings : rings;
}

double connection_limit_Bps(const Cluster& cluster, const Transport& transport) {
  constexpr double nothing = std::numeric_limits<double>::infinity();
  if (transport.nic.empty() || !copies_by_the_processor(transport.name)) return nothing;
  const auto& path = find_nic(cluster, transport.nic).path;
  if (path == "ec2") return between_instances_Bps;
  return path == "ec2-placement-group" ? in_placement_group_Bps : nothing;
}

} // namespace ddlsim
