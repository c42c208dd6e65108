#include "calibrate/data/reference_data.hpp"

#include <algorithm>

namespace ddlsim {

Shelf read_shelf(const DataFolder& data) {
  Shelf shelf{load_gpus(data), load_presets(data), load_priors(data), {}, {}};
  for (const auto& name : list_models(data)) shelf.models.emplace(name, load_model(data, name));
  for (const auto& name : list_clusters(data)) shelf.clusters.emplace(name, load_cluster(data, name));
  return shelf;
}

std::string stand_in_preset(const Strategy& strategy) {
  return strategy.name.starts_with("ps") ? "byteps" : "pytorch-ddp";
}

const Preset& preset_of(const Shelf& shelf, const std::string& name, const Strategy& strategy) {
  const auto found = std::find_if(shelf.presets.begin(), shelf.presets.end(),
                                  [&](const Preset& preset) { return preset.name == name; });
  return found != shelf.presets.end() ? *found : find_preset(shelf.presets, stand_in_preset(strategy));
}

Transport transport_of(const Cluster& cluster, const Preset& preset, const std::string& said) {
  const auto has = [&](const std::string& name) {
    return std::find_if(cluster.transports.begin(), cluster.transports.end(),
                        [&](const Transport& one) { return one.name == name; });
  };
  if (has(said) != cluster.transports.end()) return *has(said);
  for (const auto& name : preset.transports)
    if (has(name) != cluster.transports.end()) return *has(name);
  return cluster.transports.empty() ? Transport{"shm", ""} : cluster.transports.front();
}

} // namespace ddlsim
