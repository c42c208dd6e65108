#pragma once
// Makes a scenario of a model and a cluster: `ddlsim new scenario`.

#include "sim/formats/data_folder.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

struct ScenarioRequest {
  std::filesystem::path file; ///< the output file; its stem is the scenario's name
  std::string model;          ///< shipped name or path
  std::string cluster;        ///< shipped name or path of a folder
  double batch_per_gpu = 0;
  std::string precision;               ///< "": fp32
  std::string preset;                  ///< "": pytorch-ddp, or pytorch-gloo if the cluster has no faster transport
  std::vector<int> gpus;               ///< empty: doubled from one to the most that the cluster may have
  std::vector<std::string> strategies; ///< empty: auto
};

struct NewScenario {
  std::string text;
  std::vector<std::string> notes; ///< on what was chosen; one sentence each
};

/// Makes the scenario. Throws UserError that lists every mistake: unknown names, missing files.
NewScenario new_scenario(const ScenarioRequest& request, const DataFolder& data);

} // namespace ddlsim
