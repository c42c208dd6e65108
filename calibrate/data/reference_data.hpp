#pragma once
// The shipped catalogue, presets, priors, models and clusters, read once.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/model_constants.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

struct ReferenceData {
  std::vector<Gpu> gpus;
  std::vector<Preset> presets;
  std::vector<Prior> priors;
  std::map<std::string, Model> models;
  std::map<std::string, Cluster> clusters;
  ModelConstants constants{};
};

ReferenceData read_reference_data(const DataFolder& data);

} // namespace ddlsim
