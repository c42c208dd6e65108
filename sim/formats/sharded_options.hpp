#pragma once
// The options of zero-1, zero-2 and fsdp, in files and in text.

#include "sim/formats/readers.hpp"
#include "sim/formats/strategy.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ddlsim {

/// Returns "fsdp" or "fsdp(4 micro-batches, full recomputation)"; options with their default value are not named.
std::string sharded_text(const Strategy& strategy);

} // namespace ddlsim
