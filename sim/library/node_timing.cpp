#include "sim/library/node_timing.hpp"

#include <array>
#include <cstddef>

namespace ddlsim {
namespace {

/// Nominal rate of a port over the rate that NCCL counts (src/graph/topo.h): the fits are of the nominal rate.
constexpr double ampere_nominal = 300.0 / 240;
constexpr double hopper_nominal = 450 / 370.8;
constexpr double blackwell_nominal = 900 / 721.8;

constexpr NodeTiming of_ampere{
    .base_s = 9.5e-6,
    .hop_s = 0.89e-6,
    .ll_excess = 1.4,
    .late_hop_s = 0.5e-6,
    .ramp_s = 22e-6,
    .ramp_at_s = 3e-6,
    .all_reduce_share = 0.785 * ampere_nominal,
    .gather_share = 0.69 * ampere_nominal,
    .own_copy = 0.51 / ampere_nominal,
    .all_to_all = {11.5e-6, 0.33e-6, 28e-6, 10e-6, 0.69 * ampere_nominal, 0.36 / ampere_nominal},
};

constexpr NodeTiming of_hopper{
    .base_s = 5.0e-6,
    .hop_s = 0.87e-6,
    .ll_excess = 1.1,
    .late_hop_s = 0.2e-6,
    .ramp_s = 16e-6,
    .ramp_at_s = 7.7e-6,
    .all_reduce_share = 0.92 * hopper_nominal,
    .gather_share = 0.80 * hopper_nominal,
    .own_copy = 0.62 / hopper_nominal,
    .nvls_share = 0.98 * hopper_nominal,
    .nvls_extra_s = 3e-6,
    .all_to_all = {6.4e-6, 0.20e-6, 6.6e-6, 0.15e-6, 0.69 * hopper_nominal, 0.25 / hopper_nominal},
};

constexpr NodeTiming of_blackwell{
    .base_s = 7.8e-6,
    .hop_s = 1.32e-6,
    .ll_excess = 1.4,
    .late_hop_s = 7.5e-6,
    .ramp_s = 1.1e-6,
    .ramp_at_s = 0.4e-6,
    .all_reduce_share = 0.95 * blackwell_nominal,
    .gather_share = 0.91 * blackwell_nominal,
    .own_copy = 1.0 / blackwell_nominal,
    .nvls_share = 0.73 * blackwell_nominal,
    .nvls_extra_s = 21e-6,
    .all_to_all = {9.3e-6, 0.22e-6, 7.1e-6, 0.11e-6, 0.68 * blackwell_nominal, 1.18 / blackwell_nominal},
};

constexpr NodeTiming over_pcie{
    .base_s = 4.5e-6,
    .hop_s = 1.4e-6,
    .ll_excess = 0.9,
    .late_hop_s = 1.2e-6,
    .ramp_s = 6e-6,
    .ramp_at_s = 0.1e-6,
    .all_reduce_share = 1,
    .gather_share = 1,
    .own_copy = 0.5,
    .all_to_all = {5.5e-6, 0.7e-6, 8e-6, 0.1e-6, 1, 0.5},
};

int turns_of(CollectiveOperation operation) {
  return operation == CollectiveOperation::all_reduce ? 2 : 1;
}

double extra_s(double bytes_s, double most_s, double at_s) {
  return most_s * bytes_s / (bytes_s + at_s);
}

} // namespace

const NodeTiming* node_timing(NcclGpu gpu) {
  static constexpr std::array<const NodeTiming*, 4> rows{nullptr, &of_ampere, &of_hopper, &of_blackwell};
  return rows[static_cast<std::size_t>(gpu)];
}

const NodeTiming* pcie_timing(NcclGpu gpu) {
  return gpu >= NcclGpu::ampere ? &over_pcie : nullptr;
}

int ring_steps(CollectiveOperation operation, int ranks) {
  return turns_of(operation) * (ranks - 1);
}

PortTime ring_in_node(const NodeTiming& timing, CollectiveOperation operation, Protocol protocol, int ranks,
                      double size_bytes, double port_Bps) {
  const bool reduces = operation == CollectiveOperation::all_reduce;
  const int turns = turns_of(operation);
  const int steps = ring_steps(operation, ranks);
  const double share = reduces ? timing.all_reduce_share : timing.gather_share;
  const double bytes_s = (steps / share + timing.own_copy) / ranks * size_bytes / port_Bps;
  const double latency_s = timing.base_s + steps * timing.hop_s;
  if (protocol == Protocol::ll) return {latency_s, (1 + timing.ll_excess) * bytes_s};
  return {latency_s + steps * timing.late_hop_s,
          bytes_s + extra_s(bytes_s, turns * timing.ramp_s, turns * timing.ramp_at_s)};
}

PortTime nvls_in_node(const NodeTiming& timing, int ranks, double size_bytes, double port_Bps) {
  const double bytes_s = nvls_port_bytes * size_bytes / (timing.nvls_share * port_Bps);
  const double latency_s = timing.base_s + ring_steps(CollectiveOperation::all_reduce, ranks) * timing.hop_s;
  return {latency_s + timing.nvls_extra_s, bytes_s + extra_s(bytes_s, 2 * timing.ramp_s, 2 * timing.ramp_at_s)};
}

PortTime exchange_in_node(const NodeExchange& timing, int ranks, double size_bytes, double port_Bps) {
  const double bytes_s = ((ranks - 1) / timing.share + timing.own_copy) / ranks * size_bytes / port_Bps;
  return {timing.base_s + (ranks - 1) * timing.hop_s, bytes_s + extra_s(bytes_s, timing.ramp_s, timing.ramp_at_s)};
}

} // namespace ddlsim
