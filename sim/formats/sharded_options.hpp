#pragma once
// What zero-1, zero-2 and fsdp leave open, in files and in text.

#include "sim/formats/readers.hpp"
#include "sim/formats/strategy.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ddlsim {

/// "fsdp", "fsdp(4 micro-batches, full recomputation)": what is as usual is not named.
std::string sharded_text(const Strategy& strategy);

} // namespace ddlsim
