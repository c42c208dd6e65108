#include "calibrate/data/reference_data.hpp"

namespace ddlsim {

ReferenceData read_reference_data(const DataFolder& data) {
  ReferenceData reference{load_gpus(data), load_presets(data), load_priors(data), {}, {}};
  for (const auto& name : list_models(data)) reference.models.emplace(name, load_model(data, name));
  for (const auto& name : list_clusters(data)) reference.clusters.emplace(name, load_cluster(data, name));
  return reference;
}

} // namespace ddlsim
