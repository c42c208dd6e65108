#pragma once
// The tables of fields of a strategy, for those of scenarios, plan requests and records.

#include "sim/formats/field_table.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/strategy.hpp"

namespace ddlsim {

/// A strategy as a question or a record writes it: a question names what it asks for, a record may leave open what its
/// source does not say.
const FieldTable<Strategy>& strategy_fields(StrategyUse use);

/// One rule for how many servers there are.
ValueType<ServerCount> servers_type(StrategyUse use);

/// A list of strategies of a question, no two of which are the same.
ValueType<std::vector<Strategy>> strategies_type();

/// "nccl 2.18.5".
ValueType<std::optional<LibraryVersion>> library_version_type();

} // namespace ddlsim
