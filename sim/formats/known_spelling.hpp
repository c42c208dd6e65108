#pragma once
// Names of models, clusters, GPUs and presets in the spellings that people type in a scenario or a plan request.

#include "sim/formats/data_folder.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace ddlsim {

/// Replaces typed names ("Iris", "llama-2-13b", "h100") by the names in `data`. Returns a sentence for each typed name
/// that was less precise than its replacement. Paths, and names that `data` does not have, stay as they are.
std::vector<std::string> spell_as_known(nlohmann::json& document, const DataFolder& data);

/// Returns the model that `typed` means by spelt_like(), or the only model of that name with a sequence length
/// ("llama-2-13b" is llama_2_13b_seq4096); "" for none.
std::string model_meant(const std::string& typed, const std::vector<std::string>& models);

/// Returns the one of `uses` that `typed` means by spelt_like(), or the first of them over that network ("InfiniBand",
/// "RoCE", "nccl ethernet"); "" for none.
std::string transport_meant(const std::string& typed, const std::vector<std::string>& uses);

} // namespace ddlsim
