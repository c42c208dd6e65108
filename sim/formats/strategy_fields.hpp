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

/// The strategies of a question, without repeats.
ValueType<std::vector<Strategy>> strategies_type();

/// "nccl 2.18.5".
ValueType<std::optional<LibraryVersion>> library_version_type();

} // namespace ddlsim
