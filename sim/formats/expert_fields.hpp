#pragma once
// The keys of model-parallel that say where the experts of a mixture are and how tokens reach them.

#include "sim/formats/field_table.hpp"
#include "sim/formats/strategy.hpp"

#include <vector>

namespace ddlsim {

/// "expert", whose values are `degree`, and the keys that need it.
std::vector<Field<Strategy>> expert_fields(const ValueType<int>& degree);

/// Notes mistakes between these keys.
void check_experts(const JsonNode& node, const ModelParallelOptions& parallel);

} // namespace ddlsim
