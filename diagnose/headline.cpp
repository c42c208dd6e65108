#include "diagnose/headline.hpp"

#include "sim/base/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// Returns what ran, as in "resnet50_v1.5", "all-reduce" or "all-gather, all-to-all".
std::string what_ran(const Curve& curve, const std::vector<Observation>& points) {
  std::vector<std::string> ran;
  for (const auto& one : points) {
    auto name = is_collective(one) ? to_text(one.what) : curve.setup.model.name;
    if (is_collective(one)) std::replace(name.begin(), name.end(), '_', '-');
    if (std::find(ran.begin(), ran.end(), name) == ran.end()) ran.push_back(name);
  }
  return fmt::format("{}", fmt::join(ran, ", "));
}

std::string devices_of(const Curve& curve, int gpus) {
  const auto& setup = curve.setup;
  const int nodes = (gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node;
  const std::string card = setup.gpu.name.empty() ? "processors" : setup.gpu.name;
  if (nodes == 1) return fmt::format("{} {}", gpus, card);
  return fmt::format("{} nodes of {} {}", nodes, curve.gpus_per_full_node, card);
}

std::string network_of(const StepSetup& setup) {
  if (setup.transport.nic.empty()) return "";
  constexpr double bits_per_Gbit = 8e-9;
  const auto& nic = find_nic(setup.cluster, setup.transport.nic);
  const auto ports = nic.count > 1 ? fmt::format("{}x", nic.count) : "";
  return fmt::format(", {}{:.3g} Gbit/s {}", ports, nic.bandwidth_Bps * bits_per_Gbit, setup.transport.name);
}

} // namespace

std::string headline_of(const Curve& curve, const std::vector<Observation>& points) {
  int largest = 1;
  for (const auto& one : points) largest = std::max(largest, one.gpus);
  auto line = fmt::format("{} on {}", what_ran(curve, points), devices_of(curve, largest));
  if (largest > curve.gpus_per_full_node) line += network_of(curve.setup);
  const bool trained =
      std::any_of(points.begin(), points.end(), [](const Observation& one) { return !is_collective(one); });
  if (trained) line += fmt::format(", {:g} samples a GPU", curve.setup.batch_per_gpu);
  return line + ", " + curve.setup.preset.name;
}

} // namespace ddlsim
