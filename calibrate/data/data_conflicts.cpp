#include "calibrate/data/data_checks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <tuple>

namespace ddlsim {
namespace {

constexpr double same_time = 0.02; ///< |ln ratio|
constexpr double other_fabric = 2; ///< ratio of line rates

/// All that two series of one experiment agree in, the fabric aside.
using Experiment = std::tuple<std::string, std::string, Precision, double, std::string, std::string, std::string>;

Experiment experiment_of(const Series& series) {
  return {series.file, series.model,  series.precision, series.batch_per_gpu,
          series.data, series.preset, series.strategy};
}

double line_rate_Bps(const Series& series, const ReferenceData& reference) {
  const auto cluster = reference.clusters.find(series.cluster);
  if (cluster == reference.clusters.end() || series.points.empty()) return 0;
  const auto* preset = preset_named(reference.presets, series.preset);
  const auto* transport = preset == nullptr ? transport_named(cluster->second, series.transport)
                                            : transport_for(cluster->second, *preset, series.transport);
  if (transport == nullptr || transport->nic.empty()) return 0;
  const auto& nic = find_nic(cluster->second, transport->nic);
  return nic.bandwidth_Bps * nic.count;
}

/// How many scales across nodes both have; none where one of them differs.
std::optional<int> equal_scales(const Series& a, const Series& b) {
  int shared = 0;
  for (const auto& here : a.points) {
    for (const auto& there : b.points) {
      if (here.nodes < 2 || here.gpus != there.gpus || here.nodes != there.nodes) continue;
      if (std::abs(std::log(here.iteration_s / there.iteration_s)) > same_time) return {};
      ++shared;
    }
  }
  return shared;
}

} // namespace

std::map<std::string, std::string> same_on_two_fabrics(const std::vector<Series>& series,
                                                       const ReferenceData& reference) {
  std::map<Experiment, std::vector<const Series*>> experiments;
  for (const auto& one : series) experiments[experiment_of(one)].push_back(&one);
  std::map<std::string, std::string> reported;
  for (const auto& [key, members] : experiments) {
    for (const auto* fast : members) {
      for (const auto* slow : members) {
        if (!(line_rate_Bps(*fast, reference) >= other_fabric * line_rate_Bps(*slow, reference)) ||
            line_rate_Bps(*slow, reference) <= 0)
          continue;
        const auto scales = equal_scales(*fast, *slow);
        if (!scales || *scales == 0) continue;
        reported.emplace(fast->id,
                         fmt::format("the same times as {} on a fabric {:.2g} times slower, at all {} scales across "
                                     "nodes: it ran there; measure it again",
                                     slow->id, line_rate_Bps(*fast, reference) / line_rate_Bps(*slow, reference),
                                     *scales));
      }
    }
  }
  return reported;
}

bool is_unit_mistake(double ln_ratio) {
  return std::abs(ln_ratio) > std::log(100.0);
}

std::string unit_mistake_text(double ln_ratio, const std::string& than) {
  const double factor = std::exp(std::abs(ln_ratio));
  constexpr double digits = 10; // two of them
  const double rounding = std::pow(digits, std::floor(std::log10(factor)) - 1);
  return fmt::format("about {:.0f} times {} than {}: a slip of the unit (s, ms or us)?",
                     std::round(factor / rounding) * rounding, ln_ratio > 0 ? "longer" : "shorter", than);
}

} // namespace ddlsim
