#pragma once
// Makes a scenario from a model and a cluster, for `ddlsim new scenario`.

#include "sim/formats/data_folder.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

struct ScenarioRequest {
  std::filesystem::path file; ///< output file; its name without .json is the scenario's name
  std::string model;          ///< shipped name, or path of a file
  std::string table{};        ///< path of the layer table where `model` is a config; "": it is none
  long sequence = 0;          ///< tokens of a sample of such a model; 0: not stated
  std::string cluster;        ///< shipped name, or path of a folder
  double batch_per_gpu = 0;
  std::string precision; ///< precision; "": fp32
  /// preset; "": pytorch-ddp, or pytorch-gloo if the cluster has no faster transport, and that of each for fsdp and
  /// model-parallel
  std::string preset;
  std::vector<int> gpus; ///< numbers of GPUs; empty: doubled from one to the most that the cluster may have
  /// strategies; empty: auto, or what shards a model whose state one GPU cannot hold. `model-parallel` gets the best layout
  std::vector<std::string> strategies;
};

struct NewScenario {
  std::string text;
  std::vector<std::string> notes; ///< sentences on what was chosen
};

/// Makes the scenario. Throws UserError that lists every mistake, such as unknown names and missing files.
NewScenario new_scenario(const ScenarioRequest& request, const DataFolder& data);

} // namespace ddlsim
