#pragma once
// What zero-1, zero-2 and fsdp leave open, in files and in text.

#include "sim/formats/readers.hpp"
#include "sim/formats/strategy.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ddlsim {

constexpr long most_micro_batches = 1'000'000;

void read_sharded_fields(const JsonNode& node, Strategy& strategy);

/// What is as usual is left out.
void add_sharded(nlohmann::json& json, const ShardedOptions& sharded);

nlohmann::json shard_group_json(const ShardedOptions& sharded);

/// "fsdp", "fsdp(4 micro-batches, full recomputation)": what is as usual is not named.
std::string sharded_text(const Strategy& strategy);

} // namespace ddlsim
