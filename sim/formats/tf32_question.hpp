#pragma once
// What a scenario means by fp32 on the GPU that it asks about.

#include "sim/base/json.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/scenario.hpp"

#include <string>

namespace ddlsim {

/// Notes the keys that ask for TF32 of a GPU that has none.
void check_tf32_of_gpu(const Scenario& scenario, const JsonNode& root, const DataFolder& data);

/// Returns one sentence about what is assumed of TF32 because the scenario does not say it; "" where nothing is.
std::string assumed_tf32_text(const Scenario& scenario, const DataFolder& data);

} // namespace ddlsim
