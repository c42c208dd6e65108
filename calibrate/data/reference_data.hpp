#pragma once
// The shipped catalogue, presets, priors, models and clusters, read once.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/model_constants.hpp"
#include "sim/formats/strategy.hpp"

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

/// The preset of that name, else the one that stands for a stack without its own: byteps for a parameter server,
/// pytorch-ddp otherwise.
const Preset& preset_of(const ReferenceData& reference, const std::string& name, const Strategy& strategy);
std::string stand_in_preset(const Strategy& strategy);

/// The record's transport, else the preset's first that the cluster has, else the cluster's first; shared memory for a
/// cluster without any.
Transport transport_of(const Cluster& cluster, const Preset& preset, const std::string& stated);

} // namespace ddlsim
