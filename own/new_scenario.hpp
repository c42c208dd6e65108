#pragma once
// A scenario from a model and a cluster: `ddlsim new scenario`.

#include "sim/formats/data_folder.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

struct ScenarioRequest {
  std::filesystem::path file; ///< to be written; its stem is the scenario's name
  std::string model;          ///< shipped name, or a path
  std::string cluster;        ///< shipped name, or the path of a folder
  double batch_per_gpu = 0;
  std::string precision;               ///< "": fp32
  std::string preset;                  ///< "": pytorch-ddp, or pytorch-gloo where the cluster has nothing faster
  std::vector<int> gpus;               ///< empty: doubled from one to what the cluster may grow to
  std::vector<std::string> strategies; ///< empty: auto
};

struct NewScenario {
  std::string text;
  std::vector<std::string> notes; ///< what was chosen; one sentence each
};

/// Throws UserError with every mistake: names that nobody knows, files that are not there.
NewScenario new_scenario(const ScenarioRequest& request, const DataFolder& data);

} // namespace ddlsim
