#include "calibrate/data/reference_data.hpp"

#include <algorithm>

namespace ddlsim {

ReferenceData read_reference_data(const DataFolder& data) {
  ReferenceData reference{load_gpus(data), load_presets(data), load_priors(data), {}, {}};
  for (const auto& name : list_models(data)) reference.models.emplace(name, load_model(data, name));
  for (const auto& name : list_clusters(data)) reference.clusters.emplace(name, load_cluster(data, name));
  return reference;
}

std::string stand_in_preset(const Strategy& strategy) {
  return is_parameter_server(strategy.name) ? "byteps" : "pytorch-ddp";
}

const Preset& preset_of(const ReferenceData& reference, const std::string& name, const Strategy& strategy) {
  const auto found = std::find_if(reference.presets.begin(), reference.presets.end(),
                                  [&](const Preset& preset) { return preset.name == name; });
  return found != reference.presets.end() ? *found : find_preset(reference.presets, stand_in_preset(strategy));
}

Transport transport_of(const Cluster& cluster, const Preset& preset, const std::string& stated) {
  const auto has = [&](const std::string& name) {
    return std::find_if(cluster.transports.begin(), cluster.transports.end(),
                        [&](const Transport& one) { return one.name == name; });
  };
  if (has(stated) != cluster.transports.end()) return *has(stated);
  for (const auto& name : preset.transports)
    if (has(name) != cluster.transports.end()) return *has(name);
  return cluster.transports.empty() ? Transport{"shm", ""} : cluster.transports.front();
}

} // namespace ddlsim
