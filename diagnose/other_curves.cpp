#include "diagnose/other_curves.hpp"

#include "sim/formats/cluster.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

constexpr const char* verbs_suffix = "-ib";
constexpr const char* sockets_suffix = "-tcp";

std::string replaced_end(const std::string& name, const std::string& end, const std::string& by) {
  return name.ends_with(end) ? name.substr(0, name.size() - end.size()) + by : std::string();
}

/// The cluster with that transport. If its file lacks the transport, it is added on the same ports.
Cluster with_transport(Cluster cluster, const std::string& name, const std::string& nic) {
  if (transport_named(cluster, name) == nullptr) cluster.transports.push_back({name, nic});
  return cluster;
}

bool has_nvlink(const Cluster& cluster) {
  return cluster.intra.kind == IntraKind::nvlink_mesh || cluster.intra.kind == IntraKind::nvswitch;
}

/// The rate that a slot of 16 lanes reaches: four fifths of its nominal rate. PCI Express 3.0 has 15.75 GB/s each way,
/// 4.0 and 5.0 have twice and four times that (PCI-SIG). GPUs of compute capability 8.0 are the first with 4.0, and
/// those of 9.0 the first with 5.0.
double pcie_Bps_of(const Gpu& gpu) {
  constexpr double reached = 0.8;
  constexpr double third_generation_Bps = 15.75e9;
  constexpr int ampere = 80;
  constexpr int hopper = 90;
  const int times = gpu.compute_capability >= hopper ? 4 : gpu.compute_capability >= ampere ? 2 : 1;
  return reached * third_generation_Bps * times;
}

Cluster over_pcie(Cluster cluster, const Gpu& gpu) {
  constexpr double pcie_latency_s = 1e-6; // the same assumption as `new cluster` makes
  const double known_Bps = cluster.host_link.bandwidth_Bps;
  cluster.intra = {IntraKind::pcie_tree, known_Bps > 0 ? known_Bps : pcie_Bps_of(gpu), pcie_latency_s};
  return cluster;
}

} // namespace

OtherClusters::OtherClusters(const Scenario& scenario, const Curve& curve, const DataFolder& data,
                             const MeasuredTimes* measured)
    : data_(data), measured_(measured) {
  const auto& setup = curve.setup;
  const auto& transport = setup.transport;
  if (const auto sockets = replaced_end(transport.name, verbs_suffix, sockets_suffix); !sockets.empty())
    curves_.sockets = with(scenario, with_transport(setup.cluster, sockets, transport.nic), sockets);
  const auto verbs = replaced_end(transport.name, sockets_suffix, verbs_suffix);
  if (!verbs.empty() && transport_named(setup.cluster, verbs) != nullptr)
    curves_.verbs = with(scenario, setup.cluster, verbs);
  if (has_nvlink(setup.cluster) && carrier_of(transport.name) == Carrier::nccl)
    curves_.pcie = with(scenario, over_pcie(setup.cluster, setup.gpu), transport.name);
}

std::shared_ptr<const Curve> OtherClusters::with(const Scenario& scenario, const Cluster& cluster,
                                                 const std::string& transport) {
  auto strategy = scenario.strategies.front();
  strategy.transport = transport;
  files_.push_back(std::make_unique<const KnownFiles>(scenario, cluster, data_, measured_));
  const auto& files = *files_.back();
  auto curve = make_curve(scenario, strategy, files.model(), files.knowledge());
  curve.has_run = true;
  return std::make_shared<const Curve>(std::move(curve));
}

} // namespace ddlsim
