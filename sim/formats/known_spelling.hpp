#pragma once
// Names of models, clusters, GPUs and presets as people type them in a scenario or a plan request.

#include "sim/formats/data_folder.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace ddlsim {

/// Puts the names that `data` has in place of what is typed: "Iris", "llama-2-13b", "h100". Gives a sentence for each
/// that says less than the name that was taken. What is no name of `data`, and paths, stay as they are.
std::vector<std::string> spell_as_known(nlohmann::json& document, const DataFolder& data);

/// The model that is meant: spelt_like() one, or the only one of it whose sequence is of some length
/// ("llama-2-13b" is llama_2_13b_seq4096); "" for none.
std::string model_meant(const std::string& typed, const std::vector<std::string>& models);

/// The transport that is meant: spelt_like() one of `uses`, or the first of them over that network ("InfiniBand",
/// "RoCE", "nccl ethernet"); "" for none.
std::string transport_meant(const std::string& typed, const std::vector<std::string>& uses);

} // namespace ddlsim
