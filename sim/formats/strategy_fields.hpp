#pragma once
// Tables of the fields of a strategy, for the tables of scenarios, plan requests and records.

#include "sim/formats/field_table.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/strategy.hpp"

namespace ddlsim {

/// Fields of a strategy in a question or in a record. A question must state what it asks for; a record may leave open
/// what its source does not say.
const FieldTable<Strategy>& strategy_fields(StrategyUse use);

/// Fields of a strategy in an answer: those of a question, of which most are written even with their default values, and
/// servers that a question leaves open are "unknown".
const FieldTable<Strategy>& strategy_answer_fields();

/// The number of servers by one of the rules of ServerCount.
ValueType<ServerCount> servers_type(StrategyUse use);

/// Whether every pipeline of a question must state its micro-batches, or another key of the document may give them.
enum class MicroBatches { stated, may_follow };

/// The strategies of a question, without repeats.
ValueType<std::vector<Strategy>> strategies_type(MicroBatches micro_batches = MicroBatches::stated);

/// Notes a mistake where a pipeline states no micro-batches.
void require_micro_batches(const JsonNode& place, const Strategy& strategy);

/// "nccl 2.18.5".
ValueType<std::optional<LibraryVersion>> library_version_type();

} // namespace ddlsim
